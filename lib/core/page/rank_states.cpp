#include "core/page/rank_states.hpp"

#include <algorithm>
#include <array>

namespace muster::page {
namespace {

struct Words {
  std::string_view name;
  std::string_view mark;
  std::string_view words;
};

// Indexed by RankState. Every font has these symbols.
constexpr std::array<Words, 11> all_words{{{"first", "\u00d7", "failed first"},
                                           {"failed", "\u00d7", "failed as well"},
                                           {"killed", "!", "killed externally"},
                                           {"lost", "?", "lost with its node"},
                                           {"stuck", "!", "could not be killed"},
                                           {"early", "<", "left early, with exit code 0"},
                                           {"peer", "~", "lost a peer"},
                                           {"ended", "", "stopped by muster"},
                                           {"well", "", "succeeded"},
                                           {"running", "", "running, as far as the files show"},
                                           {"unknown", "?", "unknown"}}};

const Words& words_of(RankState state) {
  return all_words.at(static_cast<std::size_t>(state));
}

RankState state_of(report::VictimKind kind) {
  using report::VictimKind;
  switch (kind) {
    case VictimKind::ended_by_muster:
      return RankState::ended_by_muster;
    case VictimKind::lost_peer:
      return RankState::lost_peer;
    case VictimKind::killed:
      return RankState::killed;
    default:
      return RankState::failed;
  }
}

using States = std::map<std::uint32_t, RankState>;

// The states of the ranks that the report names; a later entry overrides an earlier one.
States named_states(const report::Report& report) {
  States states;
  for (const auto& [kind, ranks] : report.victims) {
    for (const auto rank : ranks) states[rank] = state_of(kind);
  }
  for (const auto& rank : report.left_early) states[rank.end.place.rank] = RankState::left_early;
  for (const auto& rank : report.others) states[rank.end.place.rank] = RankState::failed;
  if (report.first) states[report.first->end.place.rank] = RankState::first;
  for (const auto& node : report.nodes) {
    for (const auto rank : node.stuck_ranks) states[rank] = RankState::stuck;
  }
  return states;
}

// The state of a rank that the report does not name.
RankState state_on(const report::Report& report, const report::NodeRecord* node) {
  if (report.result == report::Result::ok) return RankState::well;
  if (node == nullptr) return RankState::unknown;
  if (report::is_lost(*node)) return RankState::lost;
  return node->state == report::NodeState::done ? RankState::well : RankState::unknown;
}

using Records = std::map<std::string, const report::NodeRecord*>;

Records records_of(const report::Report& report) {
  Records records;
  for (const auto& node : report.nodes) records.emplace(node.name, &node);
  return records;
}

std::vector<NodeOfRanks> planned(const plan::StepPlan& plan) {
  std::vector<NodeOfRanks> nodes;
  for (const auto& node : plan.nodes) {
    NodeOfRanks one{.node = node.node, .ranks = {}, .record = nullptr};
    for (const auto& task : node.tasks) one.ranks.push_back({task.rank, RankState::running, &task});
    std::ranges::sort(one.ranks, {}, &RankOfNode::rank);
    nodes.push_back(std::move(one));
  }
  return nodes;
}

// Without a plan: the ranks that have files, on an unknown node.
std::vector<NodeOfRanks> found(const AttemptFolder& folder) {
  if (folder.files.empty()) return {};
  NodeOfRanks all{.node = {}, .ranks = {}, .record = nullptr};
  for (const auto& [rank, files] : folder.files)
    all.ranks.push_back({rank, RankState::running, nullptr});
  return {all};
}

void set_all(std::vector<NodeOfRanks>& nodes, RankState state) {
  for (auto& node : nodes) {
    for (auto& rank : node.ranks) rank.state = state;
  }
}

}  // namespace

std::string_view class_of(RankState state) {
  return words_of(state).name;
}

std::string_view mark_of(RankState state) {
  return words_of(state).mark;
}

std::string_view words_for(RankState state) {
  return words_of(state).words;
}

std::vector<NodeOfRanks> ranks_by_node(const Run& run) {
  const auto& folder = run.folders.back();
  auto nodes = folder.plan ? planned(*folder.plan) : found(folder);
  if (folder.damaged) set_all(nodes, RankState::unknown);
  if (!folder.report) return nodes;
  const auto& report = folder.report->report;
  const auto states = named_states(report);
  const auto records = records_of(report);
  for (auto& node : nodes) {
    const auto record = records.find(node.node);
    node.record = record == records.end() ? nullptr : record->second;
    for (auto& rank : node.ranks) {
      const auto named = states.find(rank.rank);
      rank.state = named == states.end() ? state_on(report, node.record) : named->second;
    }
  }
  return nodes;
}

std::map<RankState, std::size_t> counts_of(const std::vector<NodeOfRanks>& nodes) {
  std::map<RankState, std::size_t> counts;
  for (const auto& node : nodes) {
    for (const auto& rank : node.ranks) ++counts[rank.state];
  }
  return counts;
}

}  // namespace muster::page
