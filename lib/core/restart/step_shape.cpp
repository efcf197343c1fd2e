#include "core/restart/step_shape.hpp"

#include "core/error.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::restart {
namespace {

std::optional<std::uint32_t> tasks_per_node(const srun::StepSize& asked, std::uint32_t nodes) {
  if (asked.tasks_per_node) return asked.tasks_per_node;
  if (!asked.tasks) return 1;  // srun's default
  if (nodes == 0 || *asked.tasks % nodes != 0) return std::nullopt;
  return *asked.tasks / nodes;
}

bool is_elastic(const Elasticity& elasticity) {
  return elasticity.spares > 0 || elasticity.nodes.has_value();
}

void check_elastic(const Elasticity& elasticity, const StepShape& shape,
                   const srun::StepSize& asked) {
  const auto* const key = elasticity.spares > 0 ? "spares" : "nodes";
  if (shape.fixed) {
    throw Error(
        fmt::format("{}=: this srun specifies its nodes, so no other nodes can replace them; "
                    "leave out --nodelist, --relative or -m arbitrary",
                    key));
  }
  if (!shape.tasks_per_node) {
    throw Error(
        fmt::format("{}=: {} cannot be divided evenly among {} nodes, so no other "
                    "number of nodes is possible; use --ntasks-per-node",
                    key, text::count(asked.tasks.value_or(0), "task"), shape.size.wanted));
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

StepShape step_shape(const Elasticity& elasticity, const srun::StepSize& asked,
                     std::uint32_t nodes) {
  const auto most = nodes > elasticity.spares ? nodes - elasticity.spares : 0;
  if (most == 0) {
    throw Error(
        fmt::format("spares={} leaves no node for the run (available: {}); request more nodes",
                    elasticity.spares, nodes));
  }
  StepShape shape;
  shape.fixed = asked.chose_nodes || asked.arbitrary;
  const auto wanted = asked.nodes.value_or(most);
  if (wanted > most && elasticity.spares > 0) {
    throw Error(fmt::format(
        "spares={}: {} nodes for the run leave {} of {} in reserve; request more nodes, "
        "or fewer spares",
        elasticity.spares, wanted, nodes > wanted ? nodes - wanted : 0, nodes));
  }
  shape.size = {wanted, wanted, wanted};
  shape.has_range = elasticity.nodes.has_value();
  if (elasticity.nodes) {
    shape.size.min = elasticity.nodes->min;
    shape.size.max = std::min(elasticity.nodes->max.value_or(most), most);
    if (!asked.nodes) shape.size.wanted = shape.size.max;
    if (shape.size.min > most) {
      throw Error(fmt::format(
          "nodes={}: only {} of the allocation's nodes can be used; request a larger allocation",
          shape.size.min, most));
    }
    shape.size.wanted = std::clamp(shape.size.wanted, shape.size.min, shape.size.max);
  }
  shape.tasks_per_node = tasks_per_node(asked, asked.nodes.value_or(shape.size.wanted));
  if (is_elastic(elasticity)) check_elastic(elasticity, shape, asked);
  return shape;
}

}  // namespace muster::restart
