#include "worker/nccl/rank_list.hpp"

#include <cstddef>

namespace muster::worker::nccl {
namespace {

constexpr std::size_t max_listed = 6;

std::string listed(std::span<const int> ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i > 0) text += i + 1 == ranks.size() ? " and " : ", ";
    text += std::to_string(ranks[i]);
  }
  return text;
}

bool consecutive(std::span<const int> ranks) {
  return ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size());
}

std::string text_of(std::span<const int> ranks) {
  if (ranks.size() == 1) return "rank " + std::to_string(ranks.front());
  if (ranks.size() > 2 && consecutive(ranks)) {
    return "ranks " + std::to_string(ranks.front()) + " to " + std::to_string(ranks.back());
  }
  if (ranks.size() <= max_listed) return "ranks " + listed(ranks);
  std::string text = "ranks ";
  for (const int rank : ranks.first(max_listed - 1)) text += std::to_string(rank) + ", ";
  text.resize(text.size() - 2);
  return text + " and " + std::to_string(ranks.size() - (max_listed - 1)) + " more";
}

}  // namespace

RankList rank_list(std::span<const int> ranks) {
  return {text_of(ranks), ranks.size(), ranks.size() == 1};
}

}  // namespace muster::worker::nccl
