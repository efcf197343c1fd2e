// Where devices are according to somebody who knows better than PCI: an NCCL topology file, a
// site's map. A virtual machine often hides what hangs below which switch.
#pragma once

#include "core/site/topology_rules.hpp"
#include "core/topology/topology.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

struct DevicePlace {
  PciAddress address;
  std::optional<unsigned> numa;  // the OS index of its memory node
  CpuSet affinity;               // CPUs near it, where the node lacks that memory node
  std::vector<PciBus> buses;     // from its processor down to the switch that it hangs on

  friend bool operator==(const DevicePlace&, const DevicePlace&) = default;
};

// True where a GPU or NIC among `places` has no CPUs near it, or all of several memory nodes'.
bool lacks_places(const Topology& topology, const std::vector<DevicePlace>& places);

struct Placed {
  Topology topology;
  std::vector<std::string> warnings;
};

// GPUs and NICs moved to their places. `name` stands for the source in warnings.
Placed with_places(Topology topology, const std::vector<DevicePlace>& places,
                   std::string_view name);

// The same by the site's map.
Placed with_map(Topology topology, const std::vector<MappedDevice>& map);

}  // namespace muster
