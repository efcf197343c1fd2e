// What a command prints: all of it or an error; in colour if a terminal wants it.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace muster::os {

// Writes to standard output. Throws Error, which names `what`, if that fails.
void print(const std::string& text, std::string_view what);

// True for a terminal that wants colour: https://no-color.org.
bool wants_color(std::FILE* stream);

}  // namespace muster::os
