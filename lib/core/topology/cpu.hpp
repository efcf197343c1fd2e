// The processor side of a node as plain values: packages, NUMA nodes, L3 groups and cores. Topology
// keeps them in hwloc's logical order (the order of the tree). Slurm numbers its abstract cores in
// the same order. Only NUMA nodes are ordered by their OS index.
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
  // Memory without its own processors: CXL, HBM in addition to DRAM, a GPU's memory on Grace. Such a node
  // says nothing about where CPUs are, and work is never divided by it.
  bool memory_only = false;

  friend bool operator==(const NumaNode&, const NumaNode&) = default;
};

struct L3Group {
  CpuSet cpus;

  friend bool operator==(const L3Group&, const L3Group&) = default;
};

// Positions in Topology's vectors; no value if the hardware does not report that level.
struct Core {
  CpuSet pus;
  std::optional<std::size_t> package;
  std::optional<std::size_t> numa;
  std::optional<std::size_t> l3;

  friend bool operator==(const Core&, const Core&) = default;
};

}  // namespace muster::topology
