#include "core/preflight/rounds.hpp"

#include <algorithm>
#include <set>

namespace muster::preflight {
namespace {

using Nodes = std::vector<NodeIndex>;

class Round {
 public:
  Round(std::span<const Link> links) {
    for (const auto& link : links) met_.insert(std::minmax(link.from, link.to));
  }

  // A node that it has not met, if there is one; among several the last one, which is far away in the list.
  void pair_with(NodeIndex node, Nodes& others) {
    const auto is_new = [&](NodeIndex other) { return !met_.contains(std::minmax(node, other)); };
    auto chosen = std::find_if(others.rbegin(), others.rend(), is_new);
    if (chosen == others.rend()) chosen = others.rbegin();
    wave_.emplace_back(node, *chosen);
    others.erase(std::next(chosen).base());
  }

  [[nodiscard]] Wave take() { return std::exchange(wave_, {}); }

 private:
  std::set<std::pair<NodeIndex, NodeIndex>> met_;
  Wave wave_;
};

// Pairs neighbours in the first round; in later rounds, nodes that have not met.
Wave pairs_of(Nodes nodes, Round& round) {
  while (nodes.size() > 1) {
    const auto node = nodes.front();
    nodes.erase(nodes.begin());
    round.pair_with(node, nodes);
  }
  return round.take();
}

std::vector<Wave> waves_of(Wave first, Wave second) {
  std::vector<Wave> waves;
  for (auto& wave : {std::move(first), std::move(second)}) {
    if (!wave.empty()) waves.push_back(wave);
  }
  return waves;
}

bool contains_node(const Wave& wave, NodeIndex node) {
  return std::ranges::any_of(
      wave, [&](const Pair& pair) { return pair.first == node || pair.second == node; });
}

// Pairs the node that is left over with a node of the previous wave.
Wave rest_of(const Wave& wave, const Nodes& nodes, Round& round) {
  Nodes tested;
  Nodes left;
  for (const auto node : nodes) (contains_node(wave, node) ? tested : left).push_back(node);
  for (const auto node : left) {
    if (!tested.empty()) round.pair_with(node, tested);
  }
  return round.take();
}

struct Parts {
  Nodes suspects;
  Nodes good;
  Nodes bad;
};

Parts parts_of(std::span<const NodeIndex> nodes, std::span<const NodeStanding> standings) {
  Parts parts;
  for (const auto node : nodes) {
    switch (standings[node].standing) {
      case Standing::slow:
      case Standing::failing:
        parts.bad.push_back(node);
        break;
      case Standing::suspect:
        parts.suspects.push_back(node);
        break;
      default:
        parts.good.push_back(node);
    }
  }
  return parts;
}

}  // namespace

std::vector<Wave> next_round(std::uint32_t round, std::span<const NodeIndex> nodes,
                             std::size_t count, std::span<const Link> links) {
  if (nodes.size() < 2 || round >= max_rounds) return {};
  auto parts = parts_of(nodes, standings(count, links));
  const bool of_all = round < rounds_of_all;
  if (!of_all && parts.suspects.empty()) return {};
  Round next(links);
  Nodes tested(nodes.begin(), nodes.end());
  if (round == 0) {
    Wave wave;
    for (std::size_t i = 0; i + 1 < tested.size(); i += 2)
      wave.emplace_back(tested[i], tested[i + 1]);
    auto rest = rest_of(wave, tested, next);
    return waves_of(std::move(wave), std::move(rest));
  }
  // Each suspect gets a good node; suspects left over are tested with each other, which reveals little.
  for (auto& suspect : parts.suspects) {
    if (parts.good.empty()) break;
    next.pair_with(suspect, parts.good);
    suspect = static_cast<NodeIndex>(count);  // it now has a partner
  }
  std::erase(parts.suspects, static_cast<NodeIndex>(count));
  Wave wave = next.take();
  // There are too few good tests so far, for example with four nodes: more tests show what is normal.
  const bool needs_samples = links.size() < 2 * least_samples;
  if (of_all || needs_samples) {
    for (const auto& pair : pairs_of(parts.good, next)) wave.push_back(pair);
  }
  for (const auto& pair : pairs_of(parts.suspects, next)) wave.push_back(pair);
  if (!of_all) return waves_of(std::move(wave), {});
  auto rest = rest_of(wave, tested, next);
  return waves_of(std::move(wave), std::move(rest));
}

}  // namespace muster::preflight
