// Makes a line of a program's output safe to show next to others: colours are kept, but anything that would
// move the cursor, write elsewhere or query the terminal is shown as \xNN.
#pragma once

#include <string>
#include <string_view>

namespace muster::view {

// The result is valid UTF-8 without control characters other than tabs. A line that sets colours ends by
// resetting them.
std::string harmless(std::string_view line);

}  // namespace muster::view
