// A line for the user, from one of the processes that start the ranks.
#pragma once

#include "core/text/quote.hpp"

#include <cstdio>
#include <string>

namespace muster::local {

inline void say(const std::string& line) {
  std::fprintf(stderr, "muster: %s\n", text::printable_path(line).c_str());
}

}  // namespace muster::local
