// GPUs and NICs on their PCI buses, each with its ranks' colour and words.
#pragma once

#include "core/picture/owners.hpp"
#include "core/picture/part.hpp"

namespace muster::picture {

// Hangs them on the parts of the machine that they are near to. Bridges that lead to one thing
// only are left out.
void add_devices(Part& machine, const topology::Topology& topology, const NodeOwners& owners,
                 const plan::NodePlan& plan);

}  // namespace muster::picture
