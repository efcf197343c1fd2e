// Which nodes are tested together, round by round: in disjoint pairs, and from the second round on each
// suspect with a node that has passed, so that two rounds find every bad node if at most a quarter of them
// are bad. An odd node is tested with one that has had its test. Pure.
#pragma once

#include "core/preflight/judge.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace muster::preflight {

inline constexpr std::uint32_t rounds_of_all = 2;
inline constexpr std::uint32_t max_rounds = 5;  // if suspects are left

using Pair = std::pair<NodeIndex, NodeIndex>;

// Pairs of one wave are tested at once; a node is in one of them at most.
using Wave = std::vector<Pair>;

// The next round after the tests so far; empty if nothing more can be learned. `nodes`: those that take part,
// out of `count`.
std::vector<Wave> next_round(std::uint32_t round, std::span<const NodeIndex> nodes,
                             std::size_t count, std::span<const Link> links);

}  // namespace muster::preflight
