// What this machine's drivers say about its devices, beyond PCI: GPU UUIDs, NIC ports. Files
// only; no vendor library.
#pragma once

#include "core/topology/topology.hpp"

#include <filesystem>

namespace muster::topology {

// Reads below root/proc and root/sys; what is not there stays unknown.
Topology with_driver_facts(Topology topology, const std::filesystem::path& root);

}  // namespace muster::topology
