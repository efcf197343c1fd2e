// A dump in files: dump.txt with all groups, dump.json, and rank-N.txt for each rank.
#pragma once

#include "core/dump/groups.hpp"

#include <filesystem>
#include <string>

namespace muster::dump {

// "dump-20261122-201403" in the attempt's folder of logs=, where this machine sees it; else
// "muster-dump-42.0-20261122-201403" in the working directory.
std::string usual_directory(const Dump& dump);

// Makes the directory for its user alone. Throws Error, which names what cannot be written and why.
void write_files(const Dump& dump, const std::filesystem::path& directory);

}  // namespace muster::dump
