// NICs: one per RDMA device, or per PCI device that has only interfaces.
#include "core/topology/hwloc/nics.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace muster::topology::hwloc {
namespace {

constexpr std::uint16_t vendor_hpe_cray = 0x17db;  // Slingshot: RDMA without an OpenFabrics device
constexpr std::uint16_t vendor_amazon = 0x1d0f;    // EFA
constexpr std::uint16_t class_infiniband = 0x0207;
constexpr std::uint16_t class_ethernet = 0x0200;

// hwloc stores the state that the verbs library reported when the file was written. 4 is "active".
void add_ports(Nic& nic, const OsDevice& device) {
  for (unsigned port = 1; port <= 8; ++port) {
    const auto state = device.info(fmt::format("Port{}State", port).c_str());
    if (!state) continue;
    const bool active = *state == "4";
    nic.up = nic.up.value_or(false) || active;
    if (active) nic.ports.push_back(port);
  }
}

NicApi api_of(const PciObject& device) {
  if (device.vendor == vendor_hpe_cray) return NicApi::cxi;
  return device.vendor == vendor_amazon ? NicApi::efa : NicApi::verbs;
}

std::vector<std::string> names_of(const PciObject& device, OsDevice::Kind kind) {
  std::vector<std::string> names;
  for (const auto& carried : device.carries)
    if (carried.kind == kind) names.push_back(carried.name);
  std::ranges::sort(names);
  return names;
}

Nic make_nic(const PciObject& device) {
  Nic nic;
  nic.address = device.address;
  nic.at = device.at;
  nic.api = api_of(device);
  nic.networks = names_of(device, OsDevice::Kind::network);
  if (device.device_class == class_infiniband) nic.infiniband = true;
  if (device.device_class == class_ethernet) nic.infiniband = false;
  return nic;
}

Nic rdma_nic(const PciObject& device, const OsDevice& carried) {
  Nic nic = make_nic(device);
  nic.name = carried.name;
  nic.rdma = true;
  add_ports(nic, carried);
  return nic;
}

Nic plain_nic(const PciObject& device) {
  Nic nic = make_nic(device);
  nic.name = nic.networks.front();
  nic.rdma = nic.api == NicApi::cxi;
  return nic;
}

}  // namespace

std::vector<Nic> read_nics(const std::vector<PciObject>& devices) {
  std::vector<Nic> nics;
  for (const auto& device : devices) {
    const std::size_t before = nics.size();
    for (const auto& carried : device.carries)
      if (carried.kind == OsDevice::Kind::openfabrics) nics.push_back(rdma_nic(device, carried));
    if (nics.size() == before && !names_of(device, OsDevice::Kind::network).empty())
      nics.push_back(plain_nic(device));
  }
  return nics;
}

}  // namespace muster::topology::hwloc
