// Measures distance by the deepest part of the machine that two locations share.
#include "core/binding/devices/distance.hpp"

#include "core/topology/topology.hpp"

#include <algorithm>

namespace muster::binding::devices {
namespace {

std::size_t common_buses(const topology::Attachment& a, const topology::Attachment& b) {
  const auto [end, unused] = std::ranges::mismatch(a.buses, b.buses);
  return static_cast<std::size_t>(end - a.buses.begin());
}

// `shares` tells whether both locations touch a part of the machine.
template <typename Shares>
Distance by_cpus(const topology::Topology& topology, Shares shares) {
  const auto any = [&](const auto& domains) {
    return std::ranges::any_of(domains, [&](const auto& part) { return shares(part.cpus); });
  };
  if (any(topology.l3_groups)) return {Path::node, 0};
  if (any(topology.numa_nodes)) return {Path::node, 1};
  if (any(topology.packages)) return {Path::node, 2};
  return {Path::sys, 0};
}

}  // namespace

Distance distance(const topology::Topology& topology, const topology::Attachment& a,
                  const topology::Attachment& b) {
  const std::size_t common = common_buses(a, b);
  if (common > 1) {
    const std::size_t hops = a.buses.size() + b.buses.size() - 2 * common;
    return {hops <= 2 ? Path::pix : Path::pxb, hops};  // 2: one port of the switch on each side
  }
  if (common == 1) return {Path::phb, a.buses.size() + b.buses.size()};
  if (a.cpus.empty() || b.cpus.empty()) return {Path::sys, 1};
  return by_cpus(
      topology, [&](const CpuSet& part) { return part.includes(a.cpus) && part.includes(b.cpus); });
}

Distance distance(const topology::Topology& topology, const CpuSet& task,
                  const topology::Attachment& device) {
  if (device.cpus.empty()) return {Path::sys, 1};
  return by_cpus(topology, [&](const CpuSet& part) {
    return part.intersects(task) && part.includes(device.cpus);
  });
}

}  // namespace muster::binding::devices
