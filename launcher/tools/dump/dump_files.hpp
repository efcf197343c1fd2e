// A dump as files: dump.txt with all groups, dump.json, and rank-N.txt for each rank.
#pragma once

#include "core/dump/groups.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace muster::dump {

// "dump-20261122-201403" in the attempt's folder of logs=, if this machine can see it; otherwise
// "muster-dump-42.0-20261122-201403" in the working directory.
std::string usual_directory(const Dump& dump);

// Likewise, but does not wait for a file system that hangs: in that case it does not use the logs' folder.
std::string usual_directory(const Dump& dump, std::chrono::milliseconds timeout);

// Creates the directory for its user only. Throws an Error that names what cannot be written, and why.
void write_files(const Dump& dump, const std::filesystem::path& directory);

// Likewise, as work for a forked child, which exits with errno if it cannot write.
std::function<void()> file_writer(const Dump& dump, const std::filesystem::path& directory);

}  // namespace muster::dump
