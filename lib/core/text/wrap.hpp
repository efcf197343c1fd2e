// Breaks text into lines of a terminal's width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::text {

inline constexpr std::size_t usual_width = 80;

// The words of `text` in lines of at most `width` bytes; a longer word has a line of its own.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

// Lines of "TERM meaning". The meaning begins at `column`, or on the next line if the term is longer or the
// lines are narrow. Ends with a newline.
std::string definition(std::string_view term, std::string_view meaning, std::size_t column,
                       std::size_t width);

}  // namespace muster::text
