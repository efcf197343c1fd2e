// Without --cpus-per-task Slurm gives each task one core. A DataLoader's workers, the threads of
// the main process and those of NCCL then share it.
#pragma once

#include "core/environment.hpp"
#include "core/option/value_types.hpp"
#include "core/profile/profile.hpp"
#include "core/resources/task_resources.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace muster::remark {

struct NodeCores {
  std::size_t node = 0;              // of the node, as far as jobs may use them
  std::size_t threads_per_core = 1;  // likewise
  std::size_t step = 0;              // the step's here; 0: unknown
  std::size_t job_cpus = 0;          // the job's here; 0: unknown
  bool chosen = false;               // the user said how many CPUs a task gets
};

// The job's CPUs on a node, by Slurm's variables; 0 if these do not say.
std::size_t job_cpus(const Environment& environment, const std::string& node);

// A line for tasks with one core each while their job or their node has several for each.
std::string few_cores(const profile::Profile& profile, option::Bind bind,
                      std::span<const resources::TaskResources> tasks, const NodeCores& cores);

}  // namespace muster::remark
