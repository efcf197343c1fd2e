// Without --cpus-per-task Slurm gives each task one core, which the main process, NCCL's threads and the
// DataLoader's workers then share.
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
  std::size_t node = 0;              // the node's cores that jobs may use
  std::size_t threads_per_core = 1;  // likewise
  std::size_t step = 0;              // the step's cores on this node; 0: unknown
  std::size_t job_cpus = 0;          // the job's CPUs on this node; 0: unknown
  bool chosen = false;               // the user chose how many CPUs a task gets
};

// The job's CPUs on a node according to Slurm's variables; 0 if they do not say.
std::size_t job_cpus(const Environment& environment, const std::string& node);

// The remark for tasks that have one core each although their job or node has several for each of them.
std::string few_cores(const profile::Profile& profile, option::Bind bind,
                      std::span<const resources::TaskResources> tasks, const NodeCores& cores);

}  // namespace muster::remark
