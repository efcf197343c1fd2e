// GPUs that their driver has divided: programs see several devices at one PCI address.
#pragma once

#include "core/topology/pci.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace muster::topology {

struct Topology;

// MIG: NVIDIA's library lists the instances of each divided GPU, by the GPU's address.
using MigInstances = std::map<PciAddress, std::vector<std::string>>;  // UUIDs, in order

// Replaces each divided GPU by its instances, which keep its position and its index.
Topology with_mig(Topology topology, const MigInstances& instances);

// AMD's partitions (CPX, DPX, TPX ...), as the kernel lists them below root/sys/class/kfd, with the
// runtime's numbers. Unchanged if no GPU is divided or some of the files cannot be read.
Topology with_kfd_partitions(Topology topology, const std::filesystem::path& root);

}  // namespace muster::topology
