// Prints a command's output: all of it or an error, in colour if the terminal wants it. Also prints the lines
// that muster shows in addition.
#pragma once

#include "core/text/message.hpp"

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace muster::os {

// Writes to standard output. If that fails, throws an Error that mentions `what`.
void print(const std::string& text, std::string_view what);

// True for a terminal that wants colour: https://no-color.org.
bool wants_color(std::FILE* stream);

// The terminal's width in columns, at most text::usual_width; exactly that without a terminal.
std::size_t width_of(std::FILE* stream);

using text::Severity;

// From now on every line of say() begins with this, "muster: warning: group 2: ...": for one of several
// processes that share a terminal. Call it before any thread starts.
void set_subject(std::string subject);

// One line on standard error, "muster: warning: ...", whatever the text contains.
void say(Severity severity, std::string_view line);

}  // namespace muster::os
