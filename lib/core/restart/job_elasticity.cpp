#include "core/restart/job_elasticity.hpp"

#include "core/text/amounts.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace muster::restart {
namespace {

// For a key on the srun line itself, the number of nodes at the start is moved into the range instead.
std::optional<Obstacle> size_out_of_range(const option::NodeRange& range,
                                          const srun::StepSize& asked) {
  if (!asked.nodes) return std::nullopt;
  if (*asked.nodes >= range.min && *asked.nodes <= range.max.value_or(*asked.nodes))
    return std::nullopt;
  const auto max = range.max ? fmt::format(":{}", *range.max) : std::string();
  return Obstacle{"nodes",
                  fmt::format("nodes={}{}: this srun uses {}", range.min, max,
                              text::count(*asked.nodes, "node")),
                  {}};
}

std::optional<Obstacle> first_obstacle(const Elasticity& elasticity, const Dispensable& dispensable,
                                       const srun::StepSize& asked, std::uint32_t nodes) {
  const auto shape = shape_or_obstacle(elasticity, asked, nodes);
  if (const auto* const obstacle = std::get_if<Obstacle>(&shape)) return *obstacle;
  if (!elasticity.nodes || !dispensable.nodes) return std::nullopt;
  return size_out_of_range(*elasticity.nodes, asked);
}

}  // namespace

ElasticStep elastic_step(const Elasticity& elasticity, const Dispensable& dispensable,
                         const srun::StepSize& asked, std::uint32_t nodes) {
  auto left = elasticity;
  std::string why;
  std::string without;
  while (const auto obstacle = first_obstacle(left, dispensable, asked, nodes)) {
    const bool is_spares = obstacle->key == "spares";
    if (!(is_spares ? dispensable.spares : dispensable.nodes)) break;
    if (is_spares) {
      left.spares = 0;
    } else {
      left.nodes.reset();
    }
    if (why.empty()) why = obstacle->what;
    without += fmt::format("{}{}=", without.empty() ? "" : " and ", obstacle->key);
  }
  auto line = why.empty() ? "" : fmt::format("{}; this step runs without {}", why, without);
  return {.elasticity = left, .shape = step_shape(left, asked, nodes), .line = std::move(line)};
}

bool leaves_nodes(const ElasticStep& step, std::uint32_t nodes) {
  return step.shape.size.wanted + step.elasticity.spares < nodes;
}

bool is_smaller_than_run(const Elasticity& elasticity, const srun::StepSize& asked,
                         std::uint32_t nodes) {
  const auto most = nodes > elasticity.spares ? nodes - elasticity.spares : nodes;
  const auto least = elasticity.nodes ? std::min(elasticity.nodes->min, most) : most;
  return asked.nodes.value_or(asked.tasks.value_or(most)) < least;
}

}  // namespace muster::restart
