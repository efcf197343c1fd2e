// Where a task would like to run: the CPUs beside its GPUs, and the wider places around them.
#pragma once

#include "core/cpuset.hpp"
#include "core/topology/topology.hpp"

#include <cstddef>
#include <vector>

namespace muster::binding::cores {

// The CPUs beside these GPUs; empty where the hardware does not say for one of them.
CpuSet local_cpus(const topology::Topology& topology, const std::vector<std::size_t>& gpus);

CpuSet numa_around(const topology::Topology& topology, const CpuSet& cpus);
CpuSet packages_around(const topology::Topology& topology, const CpuSet& cpus);

// The next larger place around `locality` that has more of the allowed CPUs: its NUMA nodes, its
// packages, everything allowed.
CpuSet wider_locality(const topology::Topology& topology, const CpuSet& allowed,
                      const CpuSet& locality);

}  // namespace muster::binding::cores
