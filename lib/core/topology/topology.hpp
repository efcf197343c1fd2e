// A node's hardware as the binding sees it: a plain value without hwloc, so that tests can construct one.
#pragma once

#include "core/cpuset.hpp"
#include "core/topology/cpu.hpp"
#include "core/topology/device.hpp"

#include <vector>

namespace muster::topology {

struct Topology {
  CpuSet pus;  // every CPU of the node, including those that this process may not use
  std::vector<Package> packages;
  std::vector<NumaNode> numa_nodes;
  std::vector<L3Group> l3_groups;
  std::vector<Core> cores;
  std::vector<Gpu> gpus;  // by vendor, then by the vendor's index
  std::vector<GpuLink> gpu_links;
  std::vector<Nic> nics;  // by PCI address

  friend bool operator==(const Topology&, const Topology&) = default;
};

// The PUs of Slurm's abstract core i are at position i. Slurm counts a node's cores in logical
// order (package by package), whatever indexes the operating system gave their CPUs.
std::vector<CpuSet> core_pus_by_logical_index(const Topology& topology);

// The NUMA nodes with processors among these CPUs.
NodeSet numa_nodes_of(const Topology& topology, const CpuSet& cpus);

}  // namespace muster::topology
