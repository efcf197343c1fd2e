// Packages, L3 groups, cores, threads and memory, each with its ranks' colour and words.
#pragma once

#include "core/picture/owners.hpp"
#include "core/picture/part.hpp"

namespace muster {

// True where the threads of some core have different takers.
bool threads_differ(const Topology& topology, const NodeTakers& takers);

Part processors(const Topology& topology, const NodeTakers& takers, const NodePlan& plan);

}  // namespace muster
