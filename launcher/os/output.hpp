// What a command prints: all of it or an error; in colour if a terminal wants it. And the lines that
// muster says beside it.
#pragma once

#include "core/text/message.hpp"

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace muster::os {

// Writes to standard output. Throws Error, which names `what`, if that fails.
void print(const std::string& text, std::string_view what);

// True for a terminal that wants colour: https://no-color.org.
bool wants_color(std::FILE* stream);

// The columns of a terminal, text::usual_width at most; that many without a terminal.
std::size_t width_of(std::FILE* stream);

using text::Severity;

// One line on standard error, "muster: warning: ...", whatever the text contains.
void say(Severity severity, std::string_view line);

}  // namespace muster::os
