// Which network a node has for its ranks. It decides which variables NCCL and libfabric need, so that a
// site can write them once. Pure: launcher/os/fabric_evidence.hpp reads the kernel's files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::fabric {

enum class Fabric : std::uint8_t {
  ethernet,  // sockets only
  infiniband,
  roce,
  slingshot,
  efa,
  azure,  // InfiniBand in a virtual machine, as in the ND series
  gcp_tcpx,
  gcp_tcpxo,
  gcp_gib,
  oci,
};

struct FabricName {
  std::string_view word;
  Fabric fabric;
};

// The words that the site's file uses.
inline constexpr std::array fabric_names{
    FabricName{"ethernet", Fabric::ethernet}, FabricName{"infiniband", Fabric::infiniband},
    FabricName{"roce", Fabric::roce},         FabricName{"slingshot", Fabric::slingshot},
    FabricName{"efa", Fabric::efa},           FabricName{"azure", Fabric::azure},
    FabricName{"gcp-tcpx", Fabric::gcp_tcpx}, FabricName{"gcp-tcpxo", Fabric::gcp_tcpxo},
    FabricName{"gcp-gib", Fabric::gcp_gib},   FabricName{"oci", Fabric::oci}};

std::string_view to_string(Fabric fabric);
std::optional<Fabric> fabric_named(std::string_view word);

// A port of an RDMA device that is active.
struct RdmaPort {
  std::string driver;      // of its device: mlx5_core, efa, irdma; empty for a software device
  std::string link_layer;  // InfiniBand, Ethernet, Unspecified
  std::size_t gigabits = 0;

  friend bool operator==(const RdmaPort&, const RdmaPort&) = default;
};

// What the kernel shows about the network to every user.
struct Evidence {
  std::string vendor;     // the machine's: sys_vendor
  std::string asset_tag;  // chassis_asset_tag, by which some clouds identify themselves
  std::vector<RdmaPort> ports = {};
  std::size_t efa_devices = 0;
  std::size_t slingshot_devices = 0;
  std::size_t gvnics = 0;  // number of interfaces of Google's own NIC
  std::size_t nvidia_gpus = 0;

  friend bool operator==(const Evidence&, const Evidence&) = default;
};

// A node has one fabric: the cloud's own, if it has one, otherwise the kind of its links.
Fabric fabric_of(const Evidence& evidence);

}  // namespace muster::fabric
