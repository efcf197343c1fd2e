// The plan in the form that the shim receives: only names, values and masks.
#include "core/contains.hpp"
#include "core/plan/node_plan.hpp"
#include "wire/python_path.hpp"
#include "wire/variables.hpp"

#include <fmt/format.h>

namespace muster::plan {
namespace {

wire::Assignment assignment(const EnvVar& variable) {
  return {variable.name, variable.value};
}

std::string names_of_ours(const TaskPlan& task) {
  std::string ours;
  for (const auto& variable : task.variables) {
    // The start hook restores the user's own value, which a step of the task's must keep.
    if (variable.kept || variable.name == wire::python_path_variable) continue;
    if (!ours.empty()) ours += ' ';
    ours += variable.name;
  }
  return ours;
}

}  // namespace

wire::NodePlan to_wire(const NodePlan& plan) {
  wire::NodePlan message;
  message.warnings = plan.warnings;
  auto shared = shared_variables(plan);
  std::erase_if(shared, [](const EnvVar& variable) { return variable.kept; });
  for (const auto& variable : shared) message.set.push_back(assignment(variable));
  for (const auto& task : plan.tasks) {
    wire::TaskPlan told{.set = {},
                        .cpu_mask = task.resources.cpus.words(),
                        .memory = task.resources.memory,
                        .cpus_required = task.resources.cpus_required,
                        .who = fmt::format("{}: task {}", plan.node, task.procid),
                        .output = task.output,
                        .error = task.error};
    for (const auto& variable : task.variables) {
      if (!variable.kept && !contains(shared, variable)) {
        told.set.push_back(assignment(variable));
      }
    }
    told.set.push_back({wire::set_variable, names_of_ours(task)});
    message.tasks.push_back(std::move(told));
  }
  return message;
}

}  // namespace muster::plan
