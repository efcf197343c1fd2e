// What this machine's drivers report about its devices, in addition to PCI: GPU UUIDs and NIC
// ports. Reads files only; uses no vendor library.
#pragma once

#include "core/topology/topology.hpp"

#include <filesystem>

namespace muster::topology {

// Reads below root/proc and root/sys; a missing file leaves its fact unknown.
Topology with_driver_facts(Topology topology, const std::filesystem::path& root);

}  // namespace muster::topology
