// Detects numbers of tasks and GPUs that do not fit a profile with one task per GPU: the options of a
// torchrun script (one task per node, several GPUs), with which all GPUs but one of each node would be
// idle; and more tasks than GPUs.
#pragma once

#include "core/option/value_types.hpp"
#include "core/profile/profile.hpp"
#include "core/resources/gpu_allocation.hpp"
#include "core/resources/task_resources.hpp"

#include <span>
#include <string>

namespace muster::remark {

// The remark for a node with a single task that has several GPUs. Empty if the user assigned the GPUs to
// the task: with gpus=own, or with Slurm's options that bind GPUs to tasks.
std::string idle_gpus(const profile::Profile& profile, option::Gpus wanted,
                      std::span<const resources::TaskResources> tasks,
                      const resources::GpuConfinement& confinement);

// The remark for a node with more tasks than GPUs: the program uses the GPU with the number LOCAL_RANK,
// which some ranks do not have. Empty as above.
std::string too_few_gpus(const profile::Profile& profile, option::Gpus wanted,
                         std::span<const resources::TaskResources> tasks,
                         const resources::GpuConfinement& confinement);

}  // namespace muster::remark
