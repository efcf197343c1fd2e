// Compares moments, and shows them as text. Works for all numbers, because they come from other nodes.
#pragma once

#include "core/report/record.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace muster::report {

// later - earlier; the largest or smallest number if it does not fit.
std::chrono::nanoseconds between(const Moment& earlier, const Moment& later);

Moment later_by(Moment moment, std::chrono::nanoseconds duration);

// True if the difference exceeds both errors together.
bool surely_before(const Moment& earlier, const Moment& later);

// "2026-01-01T00:00:00.123Z".
std::string utc_text(std::chrono::system_clock::time_point wall_start, const Moment& moment);

// Reads what utc_text() wrote. No value for any other text, or for a year that the clock does not have.
std::optional<std::chrono::system_clock::time_point> wall_time(std::string_view utc);

// "2026-01-01_00:00:00.123", at this offset from UTC.
std::string local_text(std::chrono::system_clock::time_point wall_start, const Moment& moment,
                       std::chrono::seconds utc_offset);

double seconds_of(std::chrono::nanoseconds duration);  // to the millisecond

}  // namespace muster::report
