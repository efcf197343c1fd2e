// Finds the GPUs of the node to which Slurm's numbers refer.
#pragma once

#include "core/resources/gpu_allocation.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::resources {

// No value for a UUID or other text that is not an index.
std::optional<unsigned> gpu_index(const std::string& id);

// The step's GPUs on a node as positions in Topology::gpus, in Slurm's order. Adds GPUs that the topology
// lacks (a driver without sysfs, a simulated device), without a location.
std::vector<std::size_t> find_gpus(topology::Topology& topology, const GpuGrant& grant);

}  // namespace muster::resources
