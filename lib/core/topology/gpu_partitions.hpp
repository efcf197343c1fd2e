// GPUs that their driver has divided: several devices for a program behind one PCI address.
#pragma once

#include "core/topology/topology.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace muster::topology {

// MIG: what NVIDIA's library says of each GPU that is divided, by its address.
using MigInstances = std::map<PciAddress, std::vector<std::string>>;  // their UUIDs, in order

// Each divided GPU replaced by its instances; they keep its place and its index.
Topology with_mig(Topology topology, const MigInstances& instances);

// AMD's partitions (CPX, DPX, TPX ...) as the kernel lists them below root/sys/class/kfd, numbered
// as its runtime counts. Unchanged where nothing is divided, or not all of it may be read.
Topology with_kfd_partitions(Topology topology, const std::filesystem::path& root);

}  // namespace muster::topology
