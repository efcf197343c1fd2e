// The NICs of a node that a job's ranks may use: all of one fabric, without much slower ones.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::binding::devices {

// Positions in Topology::nics: RDMA devices that are not known to be down and match no pattern in
// `excluded` (globs of devices, of their interfaces or of PCI addresses). A library that mixes
// InfiniBand and Ethernet ports fails, so only the fabric with the fastest NIC is used. NICs with
// less than half the speed of its fastest NIC are for management or storage.
std::vector<std::size_t> compute_nics(const topology::Topology& topology,
                                      const std::vector<std::string>& excluded);

}  // namespace muster::binding::devices
