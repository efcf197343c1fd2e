#include "launcher/supervisor/attempts/status_answer.hpp"

#include <algorithm>

namespace muster::attempts {
namespace {

using report::NodeState;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

const char* state_text(const report::NodeRecord& node) {
  switch (node.state) {
    case NodeState::silent:
      return "starting";
    case NodeState::watched:
      return node.started ? "running" : "starting";
    case NodeState::done:
      return "done";
    case NodeState::agent_gone:
      return "no agent";
    case NodeState::lost:
      return "lost";
  }
  return "";
}

status::Node node_of(const report::NodeRecord& record, std::uint32_t ended,
                     std::chrono::nanoseconds now) {
  const bool has_ranks = record.started && record.state != NodeState::done;
  status::Node node{.name = record.name,
                    .state = state_text(record),
                    .ranks = record.tasks,
                    .ranks_up = has_ranks ? record.tasks - std::min(ended, record.tasks) : 0,
                    .silence = {},
                    .counts = {},
                    .rates = {}};
  if (record.state == NodeState::lost) node.ranks_up = 0;
  if (record.last_word) {
    node.silence =
        std::max(duration_cast<milliseconds>(now - record.last_word->time), milliseconds(0));
  }
  return node;
}

}  // namespace

status::Step status_of(status::Step step, const watch::Observations& seen,
                       const std::vector<std::optional<status::Counts>>& counts,
                       std::chrono::nanoseconds now) {
  if (!seen.step.empty()) step.name = seen.step;
  step.ranks = seen.ranks;
  std::vector<std::uint32_t> ended(seen.nodes.size());
  for (const auto node : seen.node_of) ++ended.at(node);
  for (std::size_t node = 0; node < seen.nodes.size(); ++node) {
    auto& added = step.nodes.emplace_back(node_of(seen.nodes[node], ended[node], now));
    if (node < counts.size()) added.counts = counts[node];
    step.ranks_up += added.ranks_up;
  }
  return step;
}

}  // namespace muster::attempts
