#include "core/plan/step_plan.hpp"

#include <algorithm>

namespace muster::plan {

std::vector<PlannedRank> by_rank(const StepPlan& plan) {
  std::vector<PlannedRank> all;
  for (const auto& node : plan.nodes) {
    for (const auto& task : node.tasks) all.push_back({&node, &task});
  }
  std::ranges::sort(all, {}, [](const PlannedRank& rank) { return rank.task->rank; });
  return all;
}

std::string meeting_node(const StepPlan& plan) {
  for (const auto& node : plan.nodes) {
    for (const auto& task : node.tasks) {
      if (task.procid == 0) return node.node;
    }
  }
  return {};
}

}  // namespace muster::plan
