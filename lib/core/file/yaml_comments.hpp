// Comments of YAML, before it is parsed: the parser looks at each of their characters several times, and a
// site's file is mostly comments. Every agent of every step reads it.
#pragma once

#include <string>
#include <string_view>

namespace muster::file {

// Pure. The same file with '#' in place of each comment that has a line of its own: it means the same, and
// every value keeps its line and column. Stops at a value that may go on over lines.
std::string shorten_comments(std::string_view text);

}  // namespace muster::file
