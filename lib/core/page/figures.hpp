// Formats figures for the page.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

namespace muster::page {

// text::duration() with a decimal below 10 ms: "0.4 ms", "7.1 ms".
std::string short_duration(std::chrono::nanoseconds duration);

// 0 if `all` is 0.
double share_of(std::chrono::nanoseconds part, std::chrono::nanoseconds all);

// "12.3 %"
std::string share_text(double share);

// "2026-11-23 12:04:05 UTC", and "12:04:05".
std::string date_text(std::chrono::system_clock::time_point time);
std::string clock_text(std::chrono::system_clock::time_point time);

// "2026-11-23 12:04:05 UTC, 3 min after the launch", as HTML that breaks at the comma.
std::string moment_text(std::chrono::system_clock::time_point time, std::chrono::nanoseconds after);

}  // namespace muster::page
