// The form of every line that muster writes to a terminal in addition to the program's output: "muster:
// error: ...". launcher/os/output.hpp writes such lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::text {

enum class Severity : std::uint8_t {
  progress,  // what is happening now, as the user asked; printed without a severity
  hint,      // what to do about the previous line
  warning,   // the run continues, but is probably not what the user meant
  error,     // something that the user asked for does not happen
};

struct Message {
  Severity severity = Severity::progress;
  std::string text;
};

// Without a newline. `color`: formats the severity for a terminal that shows colours.
std::string to_line(Severity severity, std::string_view text, bool color = false);

// Reads to_line() without colour; no value if the line is not one of muster's.
std::optional<Message> message_from(std::string_view line);

}  // namespace muster::text
