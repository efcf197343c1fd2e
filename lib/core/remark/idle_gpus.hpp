// The options of a torchrun script, one task per node and several GPUs, under a profile with one
// task per GPU: all GPUs but one of each node would be idle.
#pragma once

#include "core/option/value_types.hpp"
#include "core/profile/profile.hpp"
#include "core/resources/gpu_allocation.hpp"
#include "core/resources/task_resources.hpp"

#include <span>
#include <string>

namespace muster::remark {

// A line for a node with a single task that has several GPUs. Empty where the user has said that
// they are the task's own: by gpus=own, or by Slurm's options that bind GPUs to tasks.
std::string idle_gpus(const profile::Profile& profile, option::Gpus wanted,
                      std::span<const resources::TaskResources> tasks,
                      const resources::GpuConfinement& confinement);

}  // namespace muster::remark
