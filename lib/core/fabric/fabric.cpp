#include "core/fabric/fabric.hpp"

#include <algorithm>

namespace muster::fabric {
namespace {

// Strings by which clouds identify themselves in the machine's firmware.
constexpr std::string_view google = "Google";
constexpr std::string_view azure_tag = "7783-7084-3265-9085-8269-3286-77";
constexpr std::string_view oracle_tag = "OracleCloud.com";

// Google's machines with eight GPUs have one interface for the host and four (A3 High) or eight (A3 Mega)
// more for the GPUs.
constexpr std::size_t gpus_of_a3 = 8;
constexpr std::size_t gvnics_of_tcpx = 5;
constexpr std::size_t gvnics_of_tcpxo = 9;

// Slower ports carry the host's own traffic.
constexpr std::size_t least_gigabits_of_oci = 100;

// Omni-Path reports itself as InfiniBand, but neither NCCL nor UCX uses it as such. A device without a
// driver is a software device. Azure's own NIC is for sockets.
bool is_rdma(const RdmaPort& port) {
  return !port.driver.empty() && port.driver != "hfi1" && port.driver != "mana" &&
         port.driver != "efa";
}

// The fastest port of such a link; 0 if there is none.
std::size_t speed(const Evidence& evidence, std::string_view link_layer) {
  std::size_t fastest = 0;
  for (const auto& port : evidence.ports) {
    if (is_rdma(port) && port.link_layer == link_layer)
      fastest = std::max(fastest, std::max<std::size_t>(port.gigabits, 1));
  }
  return fastest;
}

// Judges by the links alone, not by whose machine it is.
Fabric fabric_of_links(std::size_t infiniband, std::size_t ethernet) {
  if (infiniband == 0 && ethernet == 0) return Fabric::ethernet;
  return infiniband >= ethernet ? Fabric::infiniband : Fabric::roce;
}

Fabric fabric_of_google(const Evidence& evidence, std::size_t ethernet) {
  const bool has_mellanox = std::ranges::any_of(
      evidence.ports, [](const auto& port) { return port.driver == "mlx5_core"; });
  if (ethernet > 0) return has_mellanox ? Fabric::gcp_gib : Fabric::roce;
  if (evidence.nvidia_gpus < gpus_of_a3 || evidence.gvnics < gvnics_of_tcpx)
    return Fabric::ethernet;
  return evidence.gvnics < gvnics_of_tcpxo ? Fabric::gcp_tcpx : Fabric::gcp_tcpxo;
}

}  // namespace

std::string_view to_string(Fabric fabric) {
  return std::ranges::find(fabric_names, fabric, &FabricName::fabric)->word;
}

std::optional<Fabric> fabric_named(std::string_view word) {
  const auto* const found = std::ranges::find(fabric_names, word, &FabricName::word);
  return found == fabric_names.end() ? std::nullopt : std::optional(found->fabric);
}

Fabric fabric_of(const Evidence& evidence) {
  if (evidence.slingshot_devices > 0) return Fabric::slingshot;
  if (evidence.efa_devices > 0) return Fabric::efa;
  const auto infiniband = speed(evidence, "InfiniBand");
  const auto ethernet = speed(evidence, "Ethernet");
  if (evidence.vendor == google) return fabric_of_google(evidence, ethernet);
  // On Azure, what looks like RoCE is the virtual function of accelerated networking.
  if (evidence.asset_tag == azure_tag) return infiniband > 0 ? Fabric::azure : Fabric::ethernet;
  if (evidence.asset_tag == oracle_tag && infiniband == 0)
    return ethernet >= least_gigabits_of_oci ? Fabric::oci : Fabric::ethernet;
  return fabric_of_links(infiniband, ethernet);
}

}  // namespace muster::fabric
