// Where devices are according to somebody who knows better than PCI: an NCCL topology file, a
// site's map. A virtual machine often hides what hangs below which switch.
#pragma once

#include "core/topology/topology.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::topology {

struct DeviceLocation {
  PciAddress address;
  std::optional<unsigned> numa;  // the OS index of its memory node
  CpuSet affinity;               // CPUs near it, where the node lacks that memory node
  std::vector<PciBus> buses;     // from its processor down to the switch that it hangs on

  friend bool operator==(const DeviceLocation&, const DeviceLocation&) = default;
};

// A line of a site's map: which CPUs and NICs are near a device.
struct MappedDevice {
  bool is_nic = false;
  std::string name;               // GPU: the vendor's index or a bus id; NIC: its name or a bus id
  CpuSet cpus;                    // empty: as found
  std::vector<std::string> nics;  // names of those behind the same switch as this GPU
  std::string where;              // in the site's file

  friend bool operator==(const MappedDevice&, const MappedDevice&) = default;
};

// True where a GPU or NIC among `places` has no CPUs near it, or all of several memory nodes'.
bool lacks_locations(const Topology& topology, const std::vector<DeviceLocation>& places);

struct Placed {
  Topology topology;
  std::vector<std::string> warnings;
};

// GPUs and NICs moved to their places. `name` stands for the source in warnings.
Placed with_places(Topology topology, const std::vector<DeviceLocation>& places,
                   std::string_view name);

// The same by the site's map.
Placed with_map(Topology topology, const std::vector<MappedDevice>& map);

}  // namespace muster::topology
