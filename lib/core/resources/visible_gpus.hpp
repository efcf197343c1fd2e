// The step's GPUs as each task sees them: which ones, in which order, and by which names.
#pragma once

#include "core/binding/binding.hpp"
#include "core/option/value_types.hpp"
#include "core/resources/gpu_allocation.hpp"
#include "core/resources/task_resources.hpp"

#include <string>
#include <vector>

namespace muster::resources {

struct GpuViews {
  std::vector<GpuView> tasks;             // by local task ID
  std::vector<std::vector<TaskGpu>> own;  // likewise; empty if only Slurm knows
  std::vector<std::string> warnings;
  // Not always as wanted: CUDA shows a program only the first of several MIG instances, so tasks cannot share
  // them.
  option::Gpus seen = option::Gpus::shared;
};

// `positions` come from find_gpus; `plan` was made with them.
GpuViews gpu_views(const topology::Topology& topology, const GpuGrant& grant,
                   const std::vector<std::size_t>& positions, const binding::BindingPlan& plan,
                   option::Gpus wanted);

}  // namespace muster::resources
