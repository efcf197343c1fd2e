// What a command prints: all of it or an error, in colour where a terminal wants it.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace muster::os {

// To standard output; Error, which names `what`, where it cannot be written.
void print(const std::string& text, std::string_view what);

// A terminal that wants colour: https://no-color.org.
bool wants_color(std::FILE* stream);

}  // namespace muster::os
