#include "launcher/channel/watch/node_registry.hpp"

#include "core/error.hpp"
#include "core/report/peer_loss.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace muster::watch {

using report::NodeState;

bool NodeRegistry::admit(layout::NodeIndex node, std::uint32_t nodes) {
  if (seen_.nodes.empty() && nodes <= max_nodes) seen_.nodes.resize(nodes);
  return nodes == seen_.nodes.size() && node < nodes;
}

bool NodeRegistry::owns(layout::NodeIndex node, std::uint32_t rank) const {
  return rank < owners_.size() && owners_[rank] == node + 1;
}

std::optional<layout::NodeIndex> NodeRegistry::owner(std::uint32_t rank) const {
  if (rank >= owners_.size() || owners_[rank] == 0) return std::nullopt;
  return owners_[rank] - 1;
}

void NodeRegistry::hello(layout::NodeIndex node, const Hello& hello) {
  if (seen_.ranks == 0) seen_.ranks = std::min(hello.ranks_of_step, max_ranks);
  if (hello.ranks_of_step != seen_.ranks)
    throw Error("a node reports a different number of ranks in the step");
  for (const auto& place : hello.ranks) {
    const bool free = place.rank >= owners_.size() || owners_[place.rank] == 0;
    if (place.rank >= seen_.ranks || !(free || owns(node, place.rank))) {
      throw Error("a node claims a rank that is not its own");
    }
    if (place.rank >= owners_.size()) owners_.resize(place.rank + 1);
    owners_[place.rank] = node + 1;
  }
  if (seen_.step.empty()) seen_.step = hello.step;
  auto& record = seen_.nodes[node];
  record.name = hello.node;
  record.tasks = static_cast<std::uint32_t>(hello.ranks.size());
  record.gpus = std::min(hello.gpus, max_gpus);
  const bool started =
      std::ranges::any_of(hello.ranks, [](const auto& place) { return place.pid != 0; });
  if (!started) return;
  record.started = hello.started;
  record.agent = hello.agent;
}

void NodeRegistry::stuck(layout::NodeIndex node, const Stuck& stuck) {
  for (const auto rank : stuck.ranks) {
    if (!owns(node, rank)) throw Error("a node reports a rank that is not its own");
  }
  seen_.nodes[node].stuck_ranks = stuck.ranks;
}

void NodeRegistry::hangs(layout::NodeIndex node, const Hangs& hangs) const {
  if (!owns(node, hangs.rank)) throw Error("a node reports a rank that is not its own");
}

bool NodeRegistry::ended(layout::NodeIndex node, report::RankEnd end, const report::Moment& now) {
  const auto rank = end.place.rank;
  if (!owns(node, rank)) throw Error("a node reports a rank that is not its own");
  has_ended_.resize(owners_.size());
  if (has_ended_[rank]) return false;
  has_ended_[rank] = true;
  end.time.time = std::min(end.time.time, now.time);  // it is in the past
  seen_.ends.push_back(std::move(end));
  seen_.node_of.push_back(node);
  keep_texts_of_first_failures(seen_.ends.size() - 1);
  return true;
}

void NodeRegistry::keep_texts_of_first_failures(std::size_t index) {
  const auto forget = [&](std::size_t place) {
    seen_.ends[place].blamed_peer = report::lost_peer(seen_.ends[place]);
    seen_.ends[place].exception.reset();
    seen_.ends[place].last_lines = {};
    seen_.ends[place].last_lines_file = {};
  };
  const auto& end = seen_.ends[index];
  if (!end.exception && end.last_lines.empty()) return;
  if (end.wait_status == 0) return forget(index);
  const auto time =
      end.exception && end.exception->time ? end.exception->time->time : end.time.time;
  texts_.emplace(end.ended_by_muster, report::lost_peer(end), time, index);
  if (texts_.size() <= max_texts_) return;
  const auto last = std::prev(texts_.end());
  forget(std::get<std::size_t>(*last));
  texts_.erase(last);
}

void NodeRegistry::remark(layout::NodeIndex node, std::string line) {
  seen_.nodes[node].remark = std::move(line);
}

void NodeRegistry::group(layout::NodeIndex node, const report::Moment& time) {
  seen_.nodes[node].group = time;
}

void NodeRegistry::met(layout::NodeIndex node, AtStore at_store) {
  const auto is_own = [&](std::uint32_t rank) { return owns(node, rank); };
  if (at_store.ranks > seen_.nodes[node].tasks || !std::ranges::all_of(at_store.missing, is_own))
    throw Error("a node reports on ranks at the rendezvous that are not its own");
  seen_.nodes[node].at_store = std::move(at_store);
}

bool NodeRegistry::set_state(layout::NodeIndex node, NodeState state) {
  return std::exchange(seen_.nodes[node].state, state) != state;
}

NodeState NodeRegistry::state(layout::NodeIndex node) const {
  return seen_.nodes[node].state;
}

bool NodeRegistry::complete() const {
  const auto is_over = [](const auto& node) {
    if (node.state == NodeState::watched) return !node.stuck_ranks.empty();
    return node.state != NodeState::silent;
  };
  return !seen_.nodes.empty() && std::all_of(seen_.nodes.begin(), seen_.nodes.end(), is_over);
}

}  // namespace muster::watch
