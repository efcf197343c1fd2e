// GPUs and NICs on their PCI buses, each with the colour and label of its ranks.
#pragma once

#include "core/picture/owners.hpp"
#include "core/picture/part.hpp"

namespace muster::picture {

// Attaches the devices to the nearest parts of the machine. Omits bridges that lead to only one device.
void add_devices(Part& machine, const topology::Topology& topology, const NodeOwners& owners,
                 const plan::NodePlan& plan);

}  // namespace muster::picture
