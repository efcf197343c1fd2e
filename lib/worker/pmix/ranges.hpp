// Formats ranks for a message: "rank 5 (node2), ranks 8-11 (node3)". Pure.
#pragma once

#include <span>
#include <string>

namespace muster::worker::pmix {

struct RankAndNode {
  int rank;
  std::string node;  // empty: unknown
};

// Groups by node, in the order in which nodes first appear, with ascending ranks within each. The text is
// bounded: ranks that do not fit are counted ("and 12 more").
std::string ranks_in_words(std::span<const RankAndNode> ranks);

}  // namespace muster::worker::pmix
