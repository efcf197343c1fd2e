// What the agents of a step have reported, checked and bounded: no rank of another node, no second end of a
// rank, and no more text than is useful. Plain bookkeeping without sockets or clocks.
#pragma once

#include "core/layout/ids.hpp"
#include "launcher/channel/watch/events.hpp"
#include "launcher/channel/watch/observations.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace muster::watch {

inline constexpr std::uint32_t max_nodes = 65536;
inline constexpr std::uint32_t max_ranks = 1U << 20;
inline constexpr std::uint32_t max_gpus = 1024;  // of a node

class NodeRegistry {
 public:
  explicit NodeRegistry(std::size_t max_ends_with_text) : max_texts_(max_ends_with_text) {}

  // False for a node that cannot belong to this step: the first node decides how many there are.
  bool admit(layout::NodeIndex node, std::uint32_t nodes);

  // These throw Error if the report cannot be true. The node has been admitted.
  void hello(layout::NodeIndex node, const Hello& hello);
  void stuck(layout::NodeIndex node, const Stuck& stuck);
  void hangs(layout::NodeIndex node, const Hangs& hangs) const;
  // True if the end is new: an agent that reconnects repeats reports that may have been lost.
  bool ended(layout::NodeIndex node, report::RankEnd end, const report::Moment& now);

  void remark(layout::NodeIndex node, std::string line);
  void group(layout::NodeIndex node, const report::Moment& time);
  // Throws Error if the node has not got these ranks.
  void met(layout::NodeIndex node, AtStore at_store);

  // True if the state has changed.
  bool set_state(layout::NodeIndex node, report::NodeState state);
  [[nodiscard]] report::NodeState state(layout::NodeIndex node) const;

  [[nodiscard]] bool owns(layout::NodeIndex node, std::uint32_t rank) const;
  // nullopt if no node has claimed the rank.
  [[nodiscard]] std::optional<layout::NodeIndex> owner(std::uint32_t rank) const;

  // Everything except when each node was last heard from.
  [[nodiscard]] const Observations& seen() const { return seen_; }
  // Whether no report that is worth waiting for can still arrive.
  [[nodiscard]] bool complete() const;

 private:
  void keep_texts_of_first_failures(std::size_t index);

  std::size_t max_texts_;
  Observations seen_;
  std::vector<std::uint32_t> owners_;  // indexed by rank: its node + 1
  std::vector<bool> has_ended_;        // by rank
  // The ends whose texts are kept. The first to lose theirs are ranks that muster stopped, then ranks that
  // blame a peer, then late ones.
  std::set<std::tuple<bool, bool, std::chrono::nanoseconds, std::size_t>> texts_;
};

}  // namespace muster::watch
