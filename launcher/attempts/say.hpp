// A line for the user, between the attempts.
#pragma once

#include <cstdio>
#include <string>

namespace muster::attempts {

inline void say(const std::string& line) {
  std::fprintf(stderr, "muster: %s\n", line.c_str());
}

}  // namespace muster::attempts
