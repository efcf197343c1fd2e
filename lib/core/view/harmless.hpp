// A line of a program's output as a terminal may have it beside others: colours stay, and whatever
// else would move the cursor, write elsewhere or ask the terminal something is shown as \xNN.
#pragma once

#include <string>
#include <string_view>

namespace muster::view {

// Without control characters but tabs, and valid UTF-8. A line with colours ends without.
std::string harmless(std::string_view line);

}  // namespace muster::view
