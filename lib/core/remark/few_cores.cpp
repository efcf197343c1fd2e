#include "core/remark/few_cores.hpp"

#include "core/error.hpp"
#include "core/layout/task_counts.hpp"
#include "core/slurm/hostlist.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::remark {
namespace {

// On a node with fewer cores, the user may well want one per task.
constexpr std::size_t min_cores_of_node = 4;
// The job already has these cores, so using them costs nothing.
constexpr std::size_t min_cores_of_job = 2;

// The profiles of Python frameworks set it. Those of MPI programs, which use one core per task, do not.
bool is_python(const profile::Profile& profile) {
  return std::ranges::find(profile.environment, "PYTHONUNBUFFERED",
                           &profile::ProfileVariable::name) != profile.environment.end();
}

// Whether each task has a core of its own. Tasks that share cores get another warning.
bool have_one_each(std::span<const resources::TaskResources> tasks, std::size_t cores_of_step) {
  CpuSet taken;
  for (const auto& task : tasks) {
    // If Slurm binds the tasks, only the number of their cores is known.
    if (task.threads != 1 || (task.cpus.empty() && cores_of_step != tasks.size())) return false;
    if (task.cpus.intersects(taken)) return false;
    taken |= task.cpus;
  }
  return !tasks.empty();
}

}  // namespace

std::size_t job_cpus(const Environment& environment, const std::string& node) {
  const auto& nodes = environment.get("SLURM_JOB_NODELIST");
  const auto& counts = environment.get("SLURM_JOB_CPUS_PER_NODE");
  if (nodes.empty() || counts.empty()) return 0;
  try {
    const auto names = slurm::expand_hostlist(nodes);
    const auto cpus = layout::expand_task_counts(counts);
    const auto place = std::ranges::find(names, node) - names.begin();
    return names.size() == cpus.size() && place < std::ssize(cpus) ? cpus[place] : 0;
  } catch (const Error&) {
    return 0;  // an unusual list must not fail the launch
  }
}

std::string few_cores(const profile::Profile& profile, option::Bind bind,
                      std::span<const resources::TaskResources> tasks, const NodeCores& cores) {
  if (cores.chosen || bind != option::Bind::auto_ || !is_python(profile) ||
      !have_one_each(tasks, cores.step))
    return {};
  const auto count = tasks.size();
  constexpr auto* whose = "DataLoader workers share that core; ";
  // Slurm counts a core as one CPU, or as one CPU per hardware thread.
  const auto of_job = cores.job_cpus / cores.threads_per_core;
  if (cores.step == count && of_job / count >= min_cores_of_job) {
    return fmt::format(
        "1 core per task, and the job has {} CPUs on this node: {}srun --cpus-per-task={} gives them more",
        cores.job_cpus, whose, cores.job_cpus / count);
  }
  const auto share = cores.node / count;
  if (share < min_cores_of_node) return {};
  return fmt::format(
      "1 of {} cores per task: {}submit the job with --cpus-per-task={}, or with --exclusive for all cores",
      cores.node, whose, share);
}

}  // namespace muster::remark
