// The frames of C++ stacks, which torch and other libraries write after the line that says what happened.
// They would push that line out of the last few lines that muster keeps.
#pragma once

#include <string_view>

namespace muster::ranks {

// A frame, or the heading of such a stack. Python frames count as text: they say where the program was.
bool is_native_frame(std::string_view line);

}  // namespace muster::ranks
