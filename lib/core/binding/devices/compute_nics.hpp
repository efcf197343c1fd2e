// The NICs of a node that a training's ranks should talk through at all: of one fabric, and no
// slow one beside fast ones.
#pragma once

#include "core/topology/topology.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace muster::binding::devices {

// Positions in Topology::nics: RDMA, not known to be down, of no name among `excluded`, which are
// globs of devices, of their interfaces or of PCI addresses. A library that mixes InfiniBand and
// Ethernet ports fails, so the fabric with the fastest NIC has it alone; NICs of less than half the
// speed of its fastest are for management or storage.
std::vector<std::size_t> compute_nics(const topology::Topology& topology,
                                      const std::vector<std::string>& excluded);

}  // namespace muster::binding::devices
