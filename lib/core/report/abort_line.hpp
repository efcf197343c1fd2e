// What a rank wrote when it aborted. The signal, and the stack that faulthandler saves, do not say why.
#pragma once

#include "core/report/record.hpp"

#include <string_view>

namespace muster::report {

// What an uncaught C++ exception says: "boom" for "  what():  boom". Empty for any other line.
std::string_view what_in(std::string_view line);

// The text of a line with which a process aborts: "  what():  boom", or "[rank3]:[E 12:00:00 file.cpp:12]
// boom" (F for a fatal error). Empty for any other line.
std::string_view said_at_abort(std::string_view line);

// The what() of its uncaught C++ exception, or otherwise the message of its last "[rank3]:[E ...]" or
// "[rank3]:[F ...]" line, preferably of one that says whom it blames. Empty if its own last lines have none.
std::string_view abort_line(const RankEnd& end);

}  // namespace muster::report
