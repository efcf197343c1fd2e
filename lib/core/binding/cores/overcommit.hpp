// More tasks than CPUs: each task gets all the CPUs that it shares, and the kernel balances them.
#pragma once

#include "core/cpuset.hpp"

#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::binding::cores {

// The CPUs of each task: its locality, or the next wider one if the locality has more than its part of the
// step's tasks. Every locality must lie inside `allowed` and hold at least one CPU.
std::vector<CpuSet> shared_cpus(const topology::Topology& topology, const CpuSet& allowed,
                                std::vector<CpuSet> localities);

}  // namespace muster::binding::cores
