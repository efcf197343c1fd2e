// Lists and ranges as text: "0,1,3", "4-11". Only one file generates fmt's code for lists, because
// compiling it is slow.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::text {

std::string join(std::span<const std::string> items, std::string_view separator);
std::string join(const std::set<std::string>& items, std::string_view separator);
std::string join(std::span<const std::string_view> items, std::string_view separator);
std::string join(std::span<const std::uint32_t> items, std::string_view separator);
std::string join(std::span<const std::uint64_t> items, std::string_view separator);

// At least one part. Parts may be empty, and are views into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

// Consecutive numbers, such as CPUs or ranks, including both ends; "4" if they are equal.
std::string range_text(std::uint32_t first, std::uint32_t last);

}  // namespace muster::text
