// Finds the GPUs among PCI devices, and the links between them.
#pragma once

#include "core/topology/hwloc/pci_device.hpp"

#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::topology::hwloc {

// Fills gpus and gpu_links.
void read_gpus(hwloc_topology* hwloc, const std::vector<PciObject>& devices, Topology& topology);

}  // namespace muster::topology::hwloc
