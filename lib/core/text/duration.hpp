// A length of time as users write it: "90", "90s", "10m", "1h30m", "1:30:00".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace muster::text {

// More than any bound. A longer time is read as this one.
inline constexpr std::chrono::seconds max_duration{std::chrono::hours{24} * 365 * 1000};

// What duration() reads, for a message.
inline constexpr std::string_view duration_forms = "such as 90s, 10m or 1h30m";

// Nothing if it is no time. `unit` is what a number without a unit counts. Units are s, m, h and d, or
// words such as sec, min and hours, from large to small and each once. Of Slurm's own forms these have
// one meaning only: H:MM:SS, D-HH:MM and D-HH:MM:SS.
std::optional<std::chrono::seconds> duration(std::string_view text, std::chrono::seconds unit);

// "1h30m"; "0s".
std::string to_text(std::chrono::seconds time);

// For machines: as a number where the time is a multiple of `unit`, or in seconds, "90s".
std::string to_text(std::chrono::seconds time, std::chrono::seconds unit);

}  // namespace muster::text
