// The GPUs of the step on this node, from what each of its tasks sees. Pure.
#pragma once

#include "core/environment.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace muster::exec {

struct StepGpus {
  Environment variables;           // as Slurm would set them for all tasks together
  std::string tres_bind;           // how Slurm confines the tasks, in the form of a TresBind
  std::vector<std::size_t> count;  // GPUs that each task sees, by local ID
};

// Tasks that see all of the step's `gpus_on_node` (SLURM_GPUS_ON_NODE) are not confined. If each sees a part,
// Slurm has confined them. In control groups the parts then look alike: each task's GPUs count from 0.
StepGpus step_gpus(const std::vector<Environment>& by_task, const std::string& gpus_on_node);

}  // namespace muster::exec
