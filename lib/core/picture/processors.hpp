// Packages, L3 groups, cores, threads and memory, each with its ranks' colour and words.
#pragma once

#include "core/picture/owners.hpp"
#include "core/picture/part.hpp"

namespace muster {

// True where the threads of some core have different owners.
bool threads_differ(const Topology& topology, const NodeOwners& owners);

Part processors(const Topology& topology, const NodeOwners& owners, const NodePlan& plan);

}  // namespace muster
