// The distance between two devices, or between a task and a device, in the terms of nvidia-smi
// topo.
#pragma once

#include "core/cpuset.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>

namespace muster::topology {
struct Attachment;
struct Topology;
}  // namespace muster::topology

namespace muster::binding::devices {

enum class Path : std::uint8_t {
  pix,   // below one PCIe switch
  pxb,   // below one root port, through several switches
  phb,   // below one host bridge
  node,  // same L3, NUMA node or package
  sys,   // across packages, or unknown
};

// A smaller value is nearer. `detail` orders equal paths: the hops below a bridge, or the shared
// level (L3, NUMA, package).
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
