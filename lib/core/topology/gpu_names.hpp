// Finds GPUs by the names that Slurm, users and vendors give them.
#pragma once

#include "core/topology/topology.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace muster::topology {

// Positions in Topology::gpus for a comma-separated list, in its order: the vendor's indexes and
// ranges of them ("0,2-3", as SLURM_STEP_GPUS has them), bus ids ("0000:07:00.0") or UUIDs
// ("GPU-029490c8-..."). A bus id stands for all partitions behind it. Throws Error for a name that
// fits no GPU, that fits two vendors' GPUs, or that comes twice.
std::vector<std::size_t> gpus_named(const Topology& topology, std::string_view list);

}  // namespace muster::topology
