// "0-7,12" as a set of ranks, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace muster::dump {

inline constexpr std::uint32_t max_ranks = 1U << 20;

// Empty for an empty text. Throws Error for anything but a list of ranks below `limit`.
std::set<std::uint32_t> ranks_of(std::string_view text, std::uint32_t limit = max_ranks);

// "0-3,8"; if that is too long, "0-3,8,... (17 in all)".
std::string ranks_text(std::span<const std::uint32_t> ascending, std::size_t max_columns);

}  // namespace muster::dump
