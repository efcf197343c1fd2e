// GPUs that do not divide evenly among tasks: first a number of tasks for each package.
#pragma once

#include "core/binding/devices/gpu_list.hpp"
#include "core/topology/topology.hpp"

#include <cstddef>
#include <vector>

namespace muster::binding::devices {

struct PackageShare {
  GpuList gpus;
  std::size_t tasks = 0;
};

// So many tasks for the GPUs of each package that every task gets as many GPUs as any other, or one
// more. Empty where that is impossible, where there is one package only, where a GPU is in none, or
// where links across packages are faster than those inside.
std::vector<PackageShare> tasks_per_package(const topology::Topology& topology, const GpuList& gpus,
                                            std::size_t tasks);

}  // namespace muster::binding::devices
