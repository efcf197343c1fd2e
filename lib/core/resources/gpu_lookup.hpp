// Which of the node's GPUs Slurm's numbers mean.
#pragma once

#include "core/resources/gpu_allocation.hpp"
#include "core/topology/topology.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster::resources {

// NVIDIA's, of a whole GPU or of a MIG instance.
bool is_uuid(std::string_view name);

// Nothing for a UUID and the like.
std::optional<unsigned> gpu_index(const std::string& id);

// The step's GPUs of a node as positions in Topology::gpus, in Slurm's order. One that the topology
// does not know (a driver without sysfs, a made-up device) is added to it, with no place.
std::vector<std::size_t> find_gpus(topology::Topology& topology, const GpuGrant& grant);

}  // namespace muster::resources
