// Ranks as runs of consecutive ones: "all others" is one or two runs, not a long list.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace muster::worker::tcp {

struct Run {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  friend bool operator==(const Run&, const Run&) = default;
};

// Ascending, with a gap between each and the next.
using Runs = std::vector<Run>;

// Accepts ranks in any order; the result contains each once.
Runs to_runs(std::span<const int> ranks);

std::uint32_t ranks_in(const Runs& runs);

// The index of a rank among the ranks in the runs. The rank must be one of them.
std::size_t place_in(const Runs& runs, int rank);

}  // namespace muster::worker::tcp
