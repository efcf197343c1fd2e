#include "launcher/supervisor/attempts/step_nodes.hpp"

#include "core/error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::attempts {
namespace {

std::optional<std::uint32_t> tasks_per_node(const srun::StepSize& asked, std::uint32_t nodes) {
  if (asked.tasks_per_node) return asked.tasks_per_node;
  if (!asked.tasks) return 1;  // srun's default
  if (nodes == 0 || *asked.tasks % nodes != 0) return std::nullopt;
  return *asked.tasks / nodes;
}

bool is_elastic(const request::Request& request) {
  return request.spares > 0 || request.nodes.has_value();
}

void check_elastic(const request::Request& request, const StepShape& shape,
                   const srun::StepSize& asked) {
  const auto* const key = request.spares > 0 ? "spares" : "nodes";
  if (shape.fixed) {
    throw Error(
        fmt::format("{}=: this srun names its nodes, so that no others can take their "
                    "place; leave --nodelist, --relative or -m arbitrary out",
                    key));
  }
  if (!shape.tasks_per_node) {
    throw Error(
        fmt::format("{}=: {} tasks do not divide by {} nodes, so that no other number of "
                    "nodes is possible; give --ntasks-per-node",
                    key, asked.tasks.value_or(0), shape.size.wanted));
  }
}

}  // namespace

srun::StepSize asked_size(const srun::Command& command, const Environment& environment,
                          std::uint32_t nodes) {
  auto asked = srun::step_size(command, environment);
  const bool inherited = asked.tasks && !srun::step_size(command, {}).tasks;
  if (inherited && !asked.tasks_per_node && *asked.tasks % nodes == 0) {
    asked.tasks_per_node = *asked.tasks / nodes;
  }
  return asked;
}

std::optional<std::uint32_t> equal_tasks(const report::Record& record) {
  std::optional<std::uint32_t> tasks;
  for (const auto& node : record.nodes) {
    if (node.tasks == 0) continue;
    if (tasks && *tasks != node.tasks) return std::nullopt;
    tasks = node.tasks;
  }
  return tasks;
}

StepShape step_shape(const request::Request& request, const srun::StepSize& asked,
                     std::uint32_t nodes) {
  const auto most = nodes > request.spares ? nodes - request.spares : 0;
  if (most == 0) {
    throw Error(fmt::format("spares={} leave no node of the {} for the training; take more nodes",
                            request.spares, nodes));
  }
  StepShape shape;
  shape.fixed = asked.chose_nodes || asked.arbitrary;
  const auto wanted = asked.nodes.value_or(most);
  if (wanted > most && request.spares > 0) {
    throw Error(
        fmt::format("spares={}: {} nodes for the training leave {} of {} in reserve; take "
                    "more nodes, or fewer spares",
                    request.spares, wanted, nodes > wanted ? nodes - wanted : 0, nodes));
  }
  shape.size = {wanted, wanted, wanted};
  if (request.nodes) {
    shape.size.min = request.nodes->min;
    shape.size.max = std::min(request.nodes->max.value_or(most), most);
    if (!asked.nodes) shape.size.wanted = shape.size.max;
    if (shape.size.min > most) {
      throw Error(fmt::format("nodes={}: only {} of the allocation can be used; take more nodes",
                              shape.size.min, most));
    }
    shape.size.wanted = std::clamp(shape.size.wanted, shape.size.min, shape.size.max);
  }
  shape.tasks_per_node = tasks_per_node(asked, asked.nodes.value_or(shape.size.wanted));
  if (is_elastic(request)) check_elastic(request, shape, asked);
  return shape;
}

}  // namespace muster::attempts
