// The form of every line that muster writes to a terminal in addition to the program's output: "muster:
// error: ...". launcher/os/output.hpp writes such lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::text {

enum class Severity : std::uint8_t {
  progress,  // what happens now, because the user asked for it; printed without a severity
  hint,      // what to do about the previous line
  warning,   // the run continues, but is probably not what the user meant
  error,     // what was asked for does not happen
};

struct Message {
  Severity severity = Severity::progress;
  std::string text;
};

// Without a line feed. `color`: the severity is for a terminal that shows colour.
std::string to_line(Severity severity, std::string_view text, bool color = false);

// Reads to_line() without colour; nothing if the line is not one of muster's.
std::optional<Message> message_from(std::string_view line);

}  // namespace muster::text
