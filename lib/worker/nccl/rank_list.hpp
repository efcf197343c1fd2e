// Ranks for people to read: "rank 4", "ranks 4 and 5", "ranks 4 to 11", "ranks 1, 5, 9 and 13
// more".
#pragma once

#include <span>
#include <string>

namespace muster::worker::nccl {

struct RankList {
  std::string text;
  std::size_t count = 0;
  bool one = false;
};

// `ranks` in ascending order, at least one.
RankList rank_list(std::span<const int> ranks);

}  // namespace muster::worker::nccl
