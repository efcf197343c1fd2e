// Where a task should preferably run: the CPUs near its GPUs, and the wider localities around them.
#pragma once

#include "core/cpuset.hpp"

#include <cstddef>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::binding::cores {

// The CPUs near these GPUs; empty if the hardware does not report them for one of the GPUs.
CpuSet local_cpus(const topology::Topology& topology, const std::vector<std::size_t>& gpus);

CpuSet numa_around(const topology::Topology& topology, const CpuSet& cpus);
CpuSet packages_around(const topology::Topology& topology, const CpuSet& cpus);

// The next larger locality around `locality` that has more of the allowed CPUs: its NUMA nodes, its
// packages, or everything allowed.
CpuSet wider_locality(const topology::Topology& topology, const CpuSet& allowed,
                      const CpuSet& locality);

}  // namespace muster::binding::cores
