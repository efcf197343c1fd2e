// A plan as the shim is told it: only names, values and masks.
#include "core/plan.hpp"
#include "core/wire/names.hpp"

#include <algorithm>

namespace muster {
namespace {

wire::Assignment assignment(const EnvVar& variable) {
  return {variable.name, variable.value};
}

// The same for every task of the node: sent once.
bool common(const NodePlan& plan, const EnvVar& variable) {
  return std::ranges::all_of(plan.tasks, [&](const TaskPlan& task) {
    return std::ranges::find(task.variables, variable) != task.variables.end();
  });
}

std::string names_of_ours(const TaskPlan& task) {
  std::string ours;
  for (const auto& variable : task.variables) {
    if (variable.kept) continue;
    if (!ours.empty()) ours += ' ';
    ours += variable.name;
  }
  return ours;
}

}  // namespace

wire::NodePlan to_wire(const NodePlan& plan) {
  wire::NodePlan message;
  message.warnings = plan.warnings;
  std::vector<EnvVar> shared;
  if (!plan.tasks.empty()) {
    for (const auto& variable : plan.tasks.front().variables) {
      if (!variable.kept && common(plan, variable)) shared.push_back(variable);
    }
  }
  for (const auto& variable : shared) message.set.push_back(assignment(variable));
  for (const auto& task : plan.tasks) {
    wire::TaskPlan told{.set = {}, .cpu_mask = task.resources.cpus.words()};
    for (const auto& variable : task.variables) {
      if (!variable.kept && std::ranges::find(shared, variable) == shared.end()) {
        told.set.push_back(assignment(variable));
      }
    }
    told.set.push_back({wire::set_variable, names_of_ours(task)});
    message.tasks.push_back(std::move(told));
  }
  return message;
}

}  // namespace muster
