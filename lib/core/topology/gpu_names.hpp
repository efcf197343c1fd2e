// Finds GPUs by the names that Slurm, users and vendors use.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::topology {

// Positions in Topology::gpus for a comma-separated list, in its order. Items are the vendor's
// indexes and ranges of them ("0,2-3", as in SLURM_STEP_GPUS), bus IDs ("0000:07:00.0") or UUIDs
// ("GPU-029490c8-..."). A bus ID stands for all partitions at that address. Throws Error for a name
// that fits no GPU, that fits GPUs of two vendors, or that appears twice.
std::vector<std::size_t> gpus_named(const Topology& topology, std::string_view list);

}  // namespace muster::topology
