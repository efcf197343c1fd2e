// GPUs and NICs of a node and their locations: PCI address, buses on the way up, nearby CPUs.
#pragma once

#include "core/cpuset.hpp"
#include "core/topology/pci.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::topology {

struct Attachment {
  CpuSet cpus;                // nearest CPUs; empty: the hardware does not report them
  std::vector<PciBus> buses;  // from the root bus down to the device's own

  friend bool operator==(const Attachment&, const Attachment&) = default;
};

enum class GpuVendor : std::uint8_t { nvidia, amd, intel, other };
std::string_view to_string(GpuVendor vendor);

struct Gpu {
  GpuVendor vendor = GpuVendor::other;
  unsigned index = 0;  // as nvidia-smi, rocm-smi or Level Zero counts, otherwise by PCI address
  PciAddress address;
  unsigned partition = 0;  // several partitions may share one address (MI300 in CPX mode)
  std::optional<std::string> uuid;
  Attachment at;

  friend bool operator==(const Gpu&, const Gpu&) = default;
};

// False for a GPU that only Slurm knows about: a simulated device, or one whose driver does not appear in
// sysfs.
inline bool on_pci(const Gpu& gpu) {
  return gpu.vendor != GpuVendor::other || !gpu.at.buses.empty();
}

// NVLink or XGMI between two GPUs. Bandwidths are in the unit of the topology's source: compare them, never
// add them.
struct GpuLink {
  std::size_t a = 0;  // positions in Topology::gpus, a < b
  std::size_t b = 0;
  std::uint64_t bandwidth = 0;

  friend bool operator==(const GpuLink&, const GpuLink&) = default;
};

// The interface by which programs use a NIC's RDMA.
enum class NicApi : std::uint8_t {
  verbs,  // InfiniBand, RoCE, Omni-Path
  cxi,    // Slingshot
  efa,    // Amazon's
};

struct Nic {
  std::string name;                        // in NCCL_IB_HCA's syntax: mlx5_0, cxi0, hsi0
  std::vector<std::string> networks = {};  // its interfaces: ib0, hsn0
  PciAddress address = {};
  bool rdma = false;
  std::optional<bool> up = {};          // whether any port is active; no value: unknown
  std::optional<bool> infiniband = {};  // InfiniBand rather than Ethernet; no value: unknown
  std::optional<double> gigabits = {};  // its fastest port, per second
  NicApi api = NicApi::verbs;
  std::vector<unsigned> ports = {};  // for a verbs device: the active ports
  Attachment at = {};

  friend bool operator==(const Nic&, const Nic&) = default;
};

}  // namespace muster::topology
