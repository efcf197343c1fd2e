// How this process was started.
#pragma once

#include <string>
#include <vector>

namespace muster::os {

// Each byte exactly as this process was started.
std::vector<std::string> own_command();

// "NAME=VALUE": the environment with which it was started, without later changes.
std::vector<std::string> first_environment();

}  // namespace muster::os
