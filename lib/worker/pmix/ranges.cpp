#include "worker/pmix/ranges.hpp"

#include <algorithm>
#include <vector>

namespace muster::worker::pmix {
namespace {

constexpr std::size_t max_text = 400;

struct OfNode {
  std::string node;
  std::vector<int> ranks;
};

std::vector<OfNode> by_node(std::span<const RankAndNode> ranks) {
  std::vector<OfNode> nodes;
  for (const auto& one : ranks) {
    auto found = std::find_if(nodes.begin(), nodes.end(),
                              [&](const OfNode& node) { return node.node == one.node; });
    if (found == nodes.end()) found = nodes.insert(nodes.end(), {one.node, {}});
    found->ranks.push_back(one.rank);
  }
  for (auto& node : nodes) std::sort(node.ranks.begin(), node.ranks.end());
  return nodes;
}

// "3", "3-5", "3-5,9,11-12": at most eight ranges.
std::string ranges(const std::vector<int>& ranks) {
  constexpr int most = 8;
  std::string text;
  int count = 0;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (++count > most) return text + ",...";
    text += (text.empty() ? "" : ",") + std::to_string(ranks[i]);
    if (last > i) text += "-" + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace

std::string ranks_in_words(std::span<const RankAndNode> ranks) {
  std::string text;
  std::size_t told = 0;
  for (const auto& node : by_node(ranks)) {
    const auto more = (text.empty() ? std::string{} : std::string{", "}) +
                      (node.ranks.size() == 1 ? "rank " : "ranks ") + ranges(node.ranks) +
                      (node.node.empty() ? "" : " (" + node.node + ")");
    if (!text.empty() && text.size() + more.size() > max_text) {
      return text + " and " + std::to_string(ranks.size() - told) + " more";
    }
    text += more;
    told += node.ranks.size();
  }
  return text;
}

}  // namespace muster::worker::pmix
