// Figures as people read them on the page.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

namespace muster::page {

// "250 ms", "12.3 s", "12 min 3 s", "3 h 12 min", "2 d 3 h".
std::string span_text(std::chrono::nanoseconds duration);

// span_text() with more of a short time: "0.4 ms", "7.1 ms".
std::string short_span_text(std::chrono::nanoseconds duration);

// "0", "812 B", "1.2 KiB", "3.4 GiB".
std::string size_text(std::uint64_t bytes);

// 0 where there is nothing to have a part of.
double share_of(std::chrono::nanoseconds part, std::chrono::nanoseconds all);

// "12.3 %".
std::string share_text(double share);

// "2026-11-23 12:04:05 UTC", and "12:04:05".
std::string date_text(std::chrono::system_clock::time_point time);
std::string clock_text(std::chrono::system_clock::time_point time);

// "2026-11-23 12:04:05 UTC, 3 min after the launch", as HTML that breaks at the comma.
std::string moment_text(std::chrono::system_clock::time_point time, std::chrono::nanoseconds after);

// "0-3, 7": with room for a line to break.
std::string ranks_text(std::span<const std::uint32_t> ascending);

// "rank 3", "ranks 0-3, 7".
std::string named_ranks_text(std::span<const std::uint32_t> ascending);

}  // namespace muster::page
