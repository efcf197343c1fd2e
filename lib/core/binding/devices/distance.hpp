// How far apart two devices, or a task and a device, are: in the words of nvidia-smi topo.
#pragma once

#include "core/cpuset.hpp"
#include "core/topology/topology.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>

namespace muster::binding::devices {

enum class Path : std::uint8_t {
  pix,   // below one PCIe switch
  pxb,   // below one root port, through several switches
  phb,   // below one host bridge
  node,  // same L3, NUMA node or package
  sys,   // across packages, or not known
};

// Less is nearer. `detail` orders what has the same path: hops below a bridge; the level (L3,
// NUMA, package) that is shared.
struct Distance {
  Path path = Path::sys;
  std::size_t detail = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads a defaulted <=>
  friend auto operator<=>(const Distance&, const Distance&) = default;
};

Distance distance(const topology::Topology& topology, const topology::Attachment& a,
                  const topology::Attachment& b);
Distance distance(const topology::Topology& topology, const CpuSet& task,
                  const topology::Attachment& device);

}  // namespace muster::binding::devices
