// Decides from the OS devices on a PCI device whether it is a GPU.
//
// One GPU may appear several times, once per backend that hwloc was built with (nvml0, cuda0,
// opencl0d0); these are duplicates. Several OS devices of one backend are partitions.
#pragma once

#include "core/topology/hwloc/pci_device.hpp"

#include <optional>
#include <vector>

namespace muster::topology::hwloc {

struct GpuIdentity {
  std::optional<unsigned> index;  // the index that the vendor's own management library uses
  std::optional<std::string> uuid;
  hwloc_obj* object = nullptr;  // nullptr if it is identified only by its PCI class
};

// One entry per GPU (per partition) on this PCI device; empty if the device is not a GPU.
std::vector<GpuIdentity> gpus_on(const PciObject& device);

GpuVendor gpu_vendor(const PciObject& device);

// The number of its DRM render node; AMD's runtime counts in this order.
std::optional<unsigned> render_node(const PciObject& device);

}  // namespace muster::topology::hwloc
