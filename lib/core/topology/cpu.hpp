// The processor side of a node: packages, NUMA nodes, L3 groups and cores, as plain values.
// Topology keeps them in hwloc's logical order (the order of the tree), which is also the order in
// which Slurm numbers its abstract cores; only NUMA nodes are ordered by their OS index.
#pragma once

#include "core/cpuset.hpp"

#include <cstddef>
#include <optional>

namespace muster::topology {

using NodeSet = CpuSet;  // OS indexes of NUMA nodes

struct Package {
  unsigned os_index = 0;
  CpuSet cpus;

  friend bool operator==(const Package&, const Package&) = default;
};

struct NumaNode {
  unsigned os_index = 0;
  CpuSet cpus;
  // Memory without processors of its own: CXL, HBM beside DRAM, a GPU's memory on Grace.
  // Such a node says nothing about where CPUs are and never counts when work is divided.
  bool memory_only = false;

  friend bool operator==(const NumaNode&, const NumaNode&) = default;
};

struct L3Group {
  CpuSet cpus;

  friend bool operator==(const L3Group&, const L3Group&) = default;
};

// Positions in Topology's vectors; nothing where the hardware reports no such level.
struct Core {
  CpuSet pus;
  std::optional<std::size_t> package;
  std::optional<std::size_t> numa;
  std::optional<std::size_t> l3;

  friend bool operator==(const Core&, const Core&) = default;
};

}  // namespace muster::topology
