// For GPUs that do not divide evenly among tasks: first assigns a number of tasks to each package.
#pragma once

#include "core/binding/devices/gpu_list.hpp"

#include <cstddef>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::binding::devices {

struct PackageShare {
  GpuList gpus;
  std::size_t tasks = 0;
};

// Chooses the number of tasks per package so that the tasks' GPU counts differ by at most one. Empty if
// that is impossible, if there is only one package, if a GPU belongs to no package, or if links across
// packages are faster than links inside.
std::vector<PackageShare> tasks_per_package(const topology::Topology& topology, const GpuList& gpus,
                                            std::size_t tasks);

}  // namespace muster::binding::devices
