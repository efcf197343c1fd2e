// A PCI device of a loaded hwloc topology with its OS devices. Hides the differences between hwloc
// 2 and 3.
#pragma once

#include "core/topology/device.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

struct hwloc_obj;
struct hwloc_topology;

namespace muster::topology::hwloc {

struct OsDevice {
  enum class Kind : std::uint8_t { other, gpu, network, openfabrics };

  Kind kind = Kind::other;
  std::string name;  // nvml0, card1, renderD128, mlx5_0, hsn0
  hwloc_obj* object = nullptr;

  std::optional<std::string> info(const char* key) const;
};

struct PciObject {
  PciAddress address;
  std::uint16_t vendor = 0;
  std::uint16_t device_class = 0;  // for example 0x0302, a 3D controller
  Attachment at;
  std::vector<OsDevice> carries;  // in topology order
};

// Every PCI device that hwloc kept, by address.
std::vector<PciObject> read_pci_objects(hwloc_topology* hwloc);

}  // namespace muster::topology::hwloc
