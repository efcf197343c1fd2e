// Detects numbers of tasks and GPUs that do not fit a profile with one task per GPU: the options of a
// torchrun script (one task per node, several GPUs), with which all GPUs but one of each node would be
// idle; more tasks than GPUs; and tasks that each see only one of several MIG instances.
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
std::string idle_gpus(const profile::Profile& profile, option::Gpus seen,
                      std::span<const resources::TaskResources> tasks,
                      const resources::GpuConfinement& confinement);

// The remark for a node with more tasks than GPUs: the program uses the GPU with the number LOCAL_RANK,
// which some ranks do not have. Empty as above.
std::string too_few_gpus(const profile::Profile& profile, option::Gpus seen,
                         std::span<const resources::TaskResources> tasks,
                         const resources::GpuConfinement& confinement);

// The remark for tasks that see only their own MIG instance although they were to share: the program then
// has no GPU with the number LOCAL_RANK.
std::string one_instance_each(const profile::Profile& profile, option::Gpus wanted,
                              option::Gpus seen);

}  // namespace muster::remark
