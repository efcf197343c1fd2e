// Takes the locations of devices from a source that is better than PCI: an NCCL topology file or a site's
// map. A virtual machine often hides which devices are below which switch.
#pragma once

#include "core/topology/mapped_device.hpp"
#include "core/topology/topology.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::topology {

struct DeviceLocation {
  PciAddress address;
  std::optional<unsigned> numa;  // OS index of its memory node
  CpuSet affinity;               // CPUs near it, used if the machine lacks that memory node
  std::vector<PciBus> buses;     // from its processor down to its switch

  friend bool operator==(const DeviceLocation&, const DeviceLocation&) = default;
};

// True if a GPU or NIC among `places` has no nearby CPUs, or all CPUs of several memory nodes.
bool lacks_locations(const Topology& topology, const std::vector<DeviceLocation>& places);

struct Placed {
  Topology topology;
  std::vector<std::string> warnings;
};

// Moves GPUs and NICs to their places. `name` is the source's name in warnings.
Placed with_places(Topology topology, const std::vector<DeviceLocation>& places,
                   std::string_view name);

// Likewise, from the site's map.
Placed with_map(Topology topology, const std::vector<MappedDevice>& map);

}  // namespace muster::topology
