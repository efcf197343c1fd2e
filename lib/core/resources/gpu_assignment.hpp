// Which of the step's GPUs each task has, if Slurm hides the others from it.
#pragma once

#include "core/resources/gpu_allocation.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace muster::resources {

// By local task ID, positions in the step's list. No value if Slurm hides no GPUs, or if only Slurm knows:
// it chooses GPUs for the CPUs that its own task plugin gave the tasks, and by gres.conf, which need not
// describe the hardware.
std::optional<std::vector<std::vector<std::size_t>>> assigned_gpus(const GpuGrant& grant,
                                                                   std::size_t tasks);

}  // namespace muster::resources
