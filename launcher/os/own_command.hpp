// The command line of this process.
#pragma once

#include <string>
#include <vector>

namespace muster::os {

// Each byte exactly as this process was started.
std::vector<std::string> own_command();

}  // namespace muster::os
