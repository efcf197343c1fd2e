// What this site or job lacks for outliving a node. Pure.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace muster::attempts {

// From the text of `scontrol show config`: a line for the user, said before the first attempt. Empty
// where nothing is known to be missing.
std::string lacks(std::string_view config, std::chrono::seconds heartbeat);

}  // namespace muster::attempts
