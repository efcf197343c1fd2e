// Programs as execvp() and Slurm look for them, and their words as the exec functions take them.
#pragma once

#include "core/environment.hpp"

#include <string>
#include <vector>

namespace muster::os {

// Zero if this file can be executed, or errno.
int why_not_executable(const std::string& path);

// True if a directory of PATH has this program. An empty or relative entry starts in `directory`.
bool on_path(const std::string& name, const Environment& environment, const std::string& directory);

// `path`, from `directory` if it is relative.
std::string in_directory(const std::string& directory, const std::string& path);

// Into `words`, which have to live as long, and a null pointer at the end. Arguments or "NAME=VALUE".
std::vector<char*> exec_pointers(const std::vector<std::string>& words);

}  // namespace muster::os
