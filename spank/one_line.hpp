// Text of foreign origin as one line of a log or a terminal.
#pragma once

#include <string>
#include <string_view>

namespace muster::spank {

// Control characters and bytes that are not UTF-8 become \xNN, and a long line is cut. The agent
// sends its lines like this, but it is a process of the user.
std::string one_line(std::string_view text);

}  // namespace muster::spank
