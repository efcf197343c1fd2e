// "0-7,12" as a set of ranks.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

namespace muster::dump {

inline constexpr std::uint32_t max_ranks = 1U << 20;

// Empty for an empty text. Throws Error for what is no list of ranks.
std::set<std::uint32_t> ranks_of(std::string_view text);

}  // namespace muster::dump
