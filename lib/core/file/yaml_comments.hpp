// Shortens comments before YAML is parsed: the parser examines each of their characters several times, a
// site's file is mostly comments, and every agent of every step reads it.
#pragma once

#include <string>
#include <string_view>

namespace muster::file {

// Pure. Returns the same file with '#' in place of each comment that has a line of its own: its meaning is
// the same, and every value keeps its line and column. Stops at a value that may continue over several
// lines.
std::string shorten_comments(std::string_view text);

}  // namespace muster::file
