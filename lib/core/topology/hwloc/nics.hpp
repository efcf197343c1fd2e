// Finds the network devices among PCI devices.
#pragma once

#include "core/topology/hwloc/pci_device.hpp"

#include <vector>

namespace muster::topology::hwloc {

std::vector<Nic> read_nics(const std::vector<PciObject>& devices);

}  // namespace muster::topology::hwloc
