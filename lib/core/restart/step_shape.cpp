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

// If nodes cannot be exchanged for others.
std::optional<Obstacle> obstacle_to_exchange(const Elasticity& elasticity, const StepShape& shape,
                                             const srun::StepSize& asked) {
  const auto* const key = elasticity.spares > 0 ? "spares" : "nodes";
  if (shape.fixed) {
    return Obstacle{
        key,
        fmt::format("{}=: this srun specifies its nodes, so no other nodes can replace them", key),
        "leave out --nodelist, --relative or -m arbitrary"};
  }
  if (shape.tasks_per_node) return std::nullopt;
  return Obstacle{key,
                  fmt::format("{}=: {} cannot be divided evenly among {} nodes, so no other number "
                              "of nodes is possible",
                              key, text::count(asked.tasks.value_or(0), "task"), shape.size.wanted),
                  "use --ntasks-per-node"};
}

}  // namespace

srun::StepSize asked_size(const srun::Command& command, const Environment& environment,
                          std::uint32_t nodes) {
  auto asked = srun::step_size(command, environment);
  const auto on_line = srun::step_size(command, {});
  const auto per_node = on_line.tasks_per_node.value_or(0);
  if (!asked.nodes && on_line.tasks && per_node > 0 && *on_line.tasks % per_node == 0)
    asked.nodes = *on_line.tasks / per_node;
  const bool inherited = asked.tasks && !on_line.tasks;
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

std::variant<StepShape, Obstacle> shape_or_obstacle(const Elasticity& elasticity,
                                                    const srun::StepSize& asked,
                                                    std::uint32_t nodes) {
  const auto most = nodes > elasticity.spares ? nodes - elasticity.spares : 0;
  if (most == 0) {
    return Obstacle{"spares",
                    fmt::format("spares={} leaves no node for the run (available: {})",
                                elasticity.spares, nodes),
                    "request more nodes"};
  }
  StepShape shape;
  shape.fixed = asked.chose_nodes || asked.arbitrary;
  const auto wanted = asked.nodes.value_or(most);
  if (wanted > most && elasticity.spares > 0) {
    return Obstacle{
        "spares",
        fmt::format("spares={}: {} nodes for the run leave {} of {} in reserve", elasticity.spares,
                    wanted, nodes > wanted ? nodes - wanted : 0, nodes),
        "request more nodes, or fewer spares"};
  }
  shape.size = {wanted, wanted, wanted};
  shape.has_range = elasticity.nodes.has_value();
  if (elasticity.nodes) {
    shape.size.min = elasticity.nodes->min;
    shape.size.max = std::min(elasticity.nodes->max.value_or(most), most);
    if (!asked.nodes) shape.size.wanted = shape.size.max;
    if (shape.size.min > most) {
      return Obstacle{"nodes",
                      fmt::format("nodes={}: only {} of the allocation's nodes can be used",
                                  shape.size.min, most),
                      "request a larger allocation"};
    }
    shape.size.wanted = std::clamp(shape.size.wanted, shape.size.min, shape.size.max);
  }
  shape.tasks_per_node = tasks_per_node(asked, asked.nodes.value_or(shape.size.wanted));
  if (is_elastic(elasticity)) {
    if (auto obstacle = obstacle_to_exchange(elasticity, shape, asked)) return *obstacle;
  }
  return shape;
}

StepShape step_shape(const Elasticity& elasticity, const srun::StepSize& asked,
                     std::uint32_t nodes) {
  auto shape = shape_or_obstacle(elasticity, asked, nodes);
  if (const auto* const obstacle = std::get_if<Obstacle>(&shape))
    throw Error(fmt::format("{}; {}", obstacle->what, obstacle->remedy));
  return std::get<StepShape>(shape);
}

}  // namespace muster::restart
