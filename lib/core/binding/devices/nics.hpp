// The NICs that each task should use: those nearest to its GPUs, or to its CPUs.
#pragma once

#include "core/binding/devices/gpu_list.hpp"
#include "core/cpuset.hpp"

#include <cstddef>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::binding::devices {

// What a task's NICs should be near: its GPUs, or its CPUs if it has no GPU.
struct TaskDevices {
  CpuSet cpus;
  GpuList gpus;
};

// From `nics` (positions in Topology::nics), all NICs that are equally near to a task. Tasks that
// share them start with different ones.
std::vector<std::vector<std::size_t>> choose_nics(const topology::Topology& topology,
                                                  const std::vector<TaskDevices>& tasks,
                                                  const std::vector<std::size_t>& nics);

}  // namespace muster::binding::devices
