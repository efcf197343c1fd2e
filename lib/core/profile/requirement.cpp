// Reports, before any task starts, a layout that a profile cannot express.
#include "core/profile/requirement.hpp"

#include "core/error.hpp"
#include "core/layout/layout.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::profile {
namespace {

Error two_tasks(const Profile& profile, const layout::Layout& layout, layout::NodeIndex node,
                std::uint32_t tasks) {
  const auto* const why = profile.mode == Mode::agent ? "which starts the ranks itself" : "no more";
  return Error{fmt::format(
      "profile {} requires one task per node, {}, but {} has {}; use --ntasks-per-node=1, or profile "
      "torch for a task per rank",
      profile.name, why, layout.nodes[node], tasks)};
}

void check_one_per_node(const Profile& profile, const layout::Layout& layout,
                        const layout::RankNumbering& step) {
  const auto found = std::ranges::find_if(step.tasks_of_node, [](auto tasks) { return tasks > 1; });
  if (found == step.tasks_of_node.end()) return;
  const auto node = static_cast<layout::NodeIndex>(found - step.tasks_of_node.begin());
  throw two_tasks(profile, layout, node, *found);
}

void check_equal(const Profile& profile, const layout::Layout& layout,
                 const layout::RankNumbering& step) {
  if (step.tasks_per_node) return;
  const auto with_tasks = [](auto tasks) { return tasks > 0; };
  const auto& counts = step.tasks_of_node;
  const auto first = std::ranges::find_if(counts, with_tasks);
  const auto other = std::find_if(first, counts.end(),
                                  [&](auto tasks) { return with_tasks(tasks) && tasks != *first; });
  throw Error(fmt::format(
      "profile {} requires the same number of tasks on every node, but {} has {} and {} has {}; use "
      "--ntasks-per-node=N",
      profile.name, layout.nodes[first - counts.begin()], *first,
      layout.nodes[other - counts.begin()], *other));
}

void check_slurm_ranks(const Profile& profile, const layout::RankNumbering& step) {
  for (layout::ProcId task = 0; task < step.rank_of_task.size(); ++task) {
    if (step.rank_of_task[task] == task) continue;
    throw Error(fmt::format(
        "profile {} reads SLURM_PROCID itself, so ranks=contiguous cannot renumber its ranks; "
        "leave out ranks=contiguous and use --distribution=block",
        profile.name));
  }
}

}  // namespace

void check_requirements(const Profile& profile, const layout::Layout& layout,
                        const layout::RankNumbering& step) {
  for (const auto requirement : profile.requirements) {
    switch (requirement) {
      case Requirement::one_task_per_node:
        check_one_per_node(profile, layout, step);
        break;
      case Requirement::equal_tasks_per_node:
        check_equal(profile, layout, step);
        break;
      case Requirement::slurm_ranks:
        check_slurm_ranks(profile, step);
        break;
    }
  }
}

}  // namespace muster::profile
