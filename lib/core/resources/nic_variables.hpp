// How communication libraries are told which NICs to use. docs/profiles.md says why each is told
// what it is, with sources.
#pragma once

#include "core/resources/task_resources.hpp"
#include "core/topology/topology.hpp"

#include <cstddef>
#include <vector>

namespace muster::resources {

// `node`: those that this node's ranks may use, the same for every rank of it. `own`: the nearest
// to one task. Both are positions in Topology::nics.
FabricNames fabric_names(const topology::Topology& topology, const std::vector<std::size_t>& node,
                         const std::vector<std::size_t>& own);

}  // namespace muster::resources
