// Numbers of tasks and GPUs that do not fit a profile with one task per GPU. The options of a torchrun
// script, one task per node and several GPUs: all GPUs but one of each node would be idle. And more tasks
// than GPUs.
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

// A line for a node with more tasks than GPUs: the program takes the GPU that LOCAL_RANK names, and some
// ranks have none of that number. Empty as above.
std::string too_few_gpus(const profile::Profile& profile, option::Gpus wanted,
                         std::span<const resources::TaskResources> tasks,
                         const resources::GpuConfinement& confinement);

}  // namespace muster::remark
