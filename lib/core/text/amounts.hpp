// Formats amounts for people: counts, durations, sizes, and lists of ranks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace muster::text {

// "rank" for one, "ranks" otherwise.
std::string plural(std::size_t number, std::string_view noun);

// "1 node", "3 nodes", "0 nodes".
std::string count(std::size_t number, std::string_view noun);

// "250 ms", "12.3 s", "12 min 3 s", "3 h 12 min", "2 d 3 h".
std::string duration(std::chrono::nanoseconds time);

// "812 B", "1.2 KiB", "3.4 GiB".
std::string bytes(std::uint64_t size);

// Ascending numbers as "0-2,5": the form that --ranks reads.
std::string ranges(std::span<const std::uint32_t> ascending, std::string_view separator = ",");

// Like ranges(), but in at most `columns`; "0-2,..." if there are more.
std::string ranges_within(std::span<const std::uint32_t> ascending, std::size_t columns);
std::string ranges_within(const std::set<std::uint32_t>& ascending, std::size_t columns);

// "rank 3", "ranks 0-2,5".
std::string ranks(std::span<const std::uint32_t> ascending, std::string_view separator = ",");

}  // namespace muster::text
