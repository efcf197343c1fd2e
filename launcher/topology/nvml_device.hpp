// A GPU as NVML numbers it, and its PCI address.
#pragma once

#include "launcher/topology/nvml_library.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace muster::topology {

using NvmlDevice = void*;

// Up to 64.
inline std::vector<NvmlDevice> nvml_devices(const NvmlLibrary& nvml) {
  constexpr unsigned max_gpus = 64;
  unsigned count = 0;
  if (!nvml.call("nvmlDeviceGetCount_v2", &count)) throw Error("NVML finds no GPUs");
  std::vector<NvmlDevice> devices;
  for (unsigned i = 0; i < std::min(count, max_gpus); ++i) {
    NvmlDevice device = nullptr;
    if (nvml.call("nvmlDeviceGetHandleByIndex_v2", i, &device)) devices.push_back(device);
  }
  return devices;
}

// "0000:1b:00.0"; empty if NVML does not tell.
inline std::string pci_address(const NvmlLibrary& nvml, NvmlDevice device) {
  struct PciInfo {  // nvmlPciInfo_t
    std::array<char, 16> old_bus_id;
    unsigned domain, bus, device, device_id, subsystem_id;
    std::array<char, 32> bus_id;
  } pci{};
  if (!nvml.call("nvmlDeviceGetPciInfo_v3", device, &pci)) return {};
  return fmt::format("{:04x}:{:02x}:{:02x}.0", pci.domain, pci.bus, pci.device);
}

}  // namespace muster::topology
