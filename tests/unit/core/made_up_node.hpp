// Nodes that tests make up: regular trees of processors with devices hung on them.
#pragma once

#include "core/topology/topology.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace muster::test {

struct Shape {
  unsigned packages = 1;
  unsigned numa_per_package = 1;
  unsigned l3_per_numa = 1;
  unsigned cores_per_l3 = 4;
  unsigned smt = 1;

  unsigned numa_nodes() const { return packages * numa_per_package; }
  unsigned cores() const { return numa_nodes() * l3_per_numa * cores_per_l3; }
};

// Numbered as x86 machines are: first threads of all cores, then their siblings.
Topology made_up_node(const Shape& shape);

// A GPU beside these CPUs (empty: not known), alone on bus `bus` behind a root port of its own.
void add_gpu(Topology& topology, const CpuSet& near, std::uint8_t bus);

// An RDMA NIC likewise. On the same bus number as a GPU it sits behind the same switch.
void add_nic(Topology& topology, const std::string& name, const CpuSet& near, std::uint8_t bus);

}  // namespace muster::test
