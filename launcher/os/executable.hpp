// Looks up programs as execvp() and Slurm do, and prepares their arguments for the exec functions.
#pragma once

#include "core/environment.hpp"

#include <string>
#include <vector>

namespace muster::os {

// 0 if this file can be executed, otherwise errno.
int why_not_executable(const std::string& path);

// Whether a directory on PATH contains this program. An empty or relative entry is relative to `directory`.
bool on_path(const std::string& name, const Environment& environment, const std::string& directory);

// `path`, relative to `directory` if it is not absolute.
std::string in_directory(const std::string& directory, const std::string& path);

// Pointers into `words`, which must live as long, followed by a null pointer. For arguments or "NAME=VALUE".
std::vector<char*> exec_pointers(const std::vector<std::string>& words);

}  // namespace muster::os
