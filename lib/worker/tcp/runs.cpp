#include "worker/tcp/runs.hpp"

#include <algorithm>

namespace muster::worker::tcp {

Runs to_runs(std::span<const int> ranks) {
  std::vector<int> sorted(ranks.begin(), ranks.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  Runs runs;
  for (const int each : sorted) {
    const auto rank = static_cast<std::uint32_t>(each);
    if (!runs.empty() && runs.back().first + runs.back().count == rank) {
      ++runs.back().count;
    } else {
      runs.push_back({rank, 1});
    }
  }
  return runs;
}

std::uint32_t ranks_in(const Runs& runs) {
  std::uint32_t ranks = 0;
  for (const auto& run : runs) ranks += run.count;
  return ranks;
}

std::size_t place_in(const Runs& runs, int rank) {
  const auto wanted = static_cast<std::uint32_t>(rank);
  std::size_t before = 0;
  for (const auto& run : runs) {
    if (wanted < run.first + run.count) return before + (wanted - run.first);
    before += run.count;
  }
  return before;
}

}  // namespace muster::worker::tcp
