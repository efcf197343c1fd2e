// A length of time as users write it: "90", "90s", "10m", "1h30m", "1:30:00".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace muster::text {

// More than any limit. A longer time is read as this value.
inline constexpr std::chrono::seconds max_duration{std::chrono::hours{24} * 365 * 1000};

// What duration() reads, for a message.
inline constexpr std::string_view duration_forms = "such as 30s, 2m or 1m30s";

// No value if the text is not a time. `unit` is the unit of a number without one. Units are s, m, h and d, or
// words such as sec, min and hours, each once and from large to small. Of Slurm's own forms, accepts those
// with only one meaning: H:MM:SS, D-HH:MM and D-HH:MM:SS.
std::optional<std::chrono::seconds> duration(std::string_view text, std::chrono::seconds unit);

// "1h30m"; "0s".
std::string to_text(std::chrono::seconds time);

// For machines: a plain number if the time is a multiple of `unit`, otherwise seconds with a unit, "90s".
std::string to_text(std::chrono::seconds time, std::chrono::seconds unit);

}  // namespace muster::text
