// Turns untrusted text into one line for a log or a terminal.
#pragma once

#include <string>
#include <string_view>

namespace muster::spank {

// Control characters and bytes that are not UTF-8 become \xNN, and a long line is truncated. The agent
// already sends such lines, but it is one of the user's processes.
std::string one_line(std::string_view text);

}  // namespace muster::spank
