// Packages, L3 groups, cores, threads and memory, each with the colour and label of its ranks.
#pragma once

#include "core/picture/owners.hpp"
#include "core/picture/part.hpp"

namespace muster::picture {

// True if the threads of a core have different owners.
bool threads_differ(const topology::Topology& topology, const NodeOwners& owners);

Part processors(const topology::Topology& topology, const NodeOwners& owners,
                const plan::NodePlan& plan);

}  // namespace muster::picture
