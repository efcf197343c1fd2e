// Decides which nodes are tested together, round by round. Each round tests disjoint pairs; from the second
// round on, each suspect is paired with a node that has passed, so that two rounds find every bad node if at
// most a quarter of the nodes are bad. If one node is left over, it is tested with a node that has already
// had its test. Pure.
#pragma once

#include "core/preflight/judge.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace muster::preflight {

inline constexpr std::uint32_t rounds_of_all = 2;
inline constexpr std::uint32_t max_rounds = 5;  // if there are still suspects

using Pair = std::pair<NodeIndex, NodeIndex>;

// The pairs of one wave are tested at the same time; a node is in at most one of them.
using Wave = std::vector<Pair>;

// The next round after the tests so far; empty if nothing more can be learned. `nodes`: those that take part,
// out of `count`.
std::vector<Wave> next_round(std::uint32_t round, std::span<const NodeIndex> nodes,
                             std::size_t count, std::span<const Link> links);

}  // namespace muster::preflight
