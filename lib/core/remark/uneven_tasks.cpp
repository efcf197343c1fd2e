#include "core/remark/uneven_tasks.hpp"

#include "core/layout/layout.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace muster::remark {
namespace {

// Slurm writes "block,pack" and "block,nopack".
bool is_chosen(std::string_view distribution) {
  return distribution.starts_with("plane") || distribution.starts_with("arbitrary") ||
         distribution.find(",pack") != std::string_view::npos;
}

bool chose_tasks_per_node(const layout::Layout& layout, const Environment& environment) {
  constexpr std::array names{"SLURM_NTASKS_PER_NODE", "SLURM_HOSTFILE", "SLURM_ARBITRARY_NODELIST"};
  const auto given = [&](const char* name) { return environment.contains(name); };
  const auto* const distribution = environment.if_set("SLURM_DISTRIBUTION");
  return !layout.components.empty() || std::ranges::any_of(names, given) ||
         (distribution != nullptr && is_chosen(*distribution));
}

}  // namespace

std::string uneven_tasks(const layout::Layout& layout, const layout::RankNumbering& step,
                         const Environment& environment) {
  if (step.tasks_per_node || chose_tasks_per_node(layout, environment)) return {};
  const auto& counts = step.tasks_of_node;
  const auto most = std::ranges::max_element(counts);
  const auto key = [](auto count) { return count > 0 ? count : ~std::uint32_t{0}; };
  const auto fewest = std::ranges::min_element(counts, {}, key);
  const auto tasks = layout.node_of_task.size();
  const bool divides = tasks % step.nodes == 0;
  if (*most - *fewest <= (divides ? 0U : 1U)) return {};
  return fmt::format(
      "{} tasks are spread unevenly over {} nodes, from {} on {} to {} on {}; submit the job with "
      "--ntasks-per-node={} for the same number on each node",
      tasks, step.nodes, *most, layout.nodes[most - counts.begin()], *fewest,
      layout.nodes[fewest - counts.begin()], divides ? fmt::to_string(tasks / step.nodes) : "N");
}

}  // namespace muster::remark
