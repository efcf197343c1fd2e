// The variables that select NICs for communication libraries. docs/profiles.md explains each, with sources.
#pragma once

#include "core/resources/task_resources.hpp"

#include <cstddef>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::resources {

// `node`: the NICs that this node's ranks may use, the same for each of them. `own`: the NICs
// nearest to one task. Both are positions in Topology::nics.
FabricNames fabric_names(const topology::Topology& topology, const std::vector<std::size_t>& node,
                         const std::vector<std::size_t>& own);

}  // namespace muster::resources
