#include "core/topology/placement.hpp"

#include "core/error.hpp"
#include "core/text/amounts.hpp"
#include "core/text/quote.hpp"
#include "core/topology/gpu_names.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::topology {
namespace {

// True if the CPUs carry no information: there are none, or they are all CPUs of a node with several memory
// nodes.
bool is_nowhere(const Topology& topology, const Attachment& at) {
  return at.cpus.empty() ||
         (at.cpus.includes(topology.pus) &&
          std::ranges::count(topology.numa_nodes, false, &NumaNode::memory_only) > 1);
}

const NumaNode* numa_node(const Topology& topology, unsigned os_index) {
  const auto found = std::ranges::find(topology.numa_nodes, os_index, &NumaNode::os_index);
  return found == topology.numa_nodes.end() ? nullptr : &*found;
}

// For the CPUs of a memory node, the node's own list counts: the masks in such files describe whole
// machines.
CpuSet cpus_of(const Topology& topology, const DeviceLocation& place) {
  if (place.numa)
    if (const auto* node = numa_node(topology, *place.numa)) return node->cpus & topology.pus;
  return place.affinity & topology.pus;
}

template <typename Device>
const DeviceLocation* place_of(const Device& device, const std::vector<DeviceLocation>& places) {
  const auto found = std::ranges::find(places, device.address, &DeviceLocation::address);
  return found == places.end() ? nullptr : &*found;
}

template <typename Devices>
void move_devices(Devices& devices, const Topology& topology,
                  const std::vector<DeviceLocation>& places, std::vector<std::string>& unplaced) {
  for (auto& device : devices) {
    const auto* place = place_of(device, places);
    if (place == nullptr) continue;
    device.at = {cpus_of(topology, *place), place->buses};
    if (device.at.cpus.empty()) unplaced.push_back(to_string(device.address));
  }
}

// A bus of a made-up switch, with an address that no scan can have found.
PciBus made_up_bus(std::size_t number) {
  constexpr std::uint32_t beyond_every_domain = 0xfffe0000;
  return {beyond_every_domain + static_cast<std::uint32_t>(number >> 8),
          static_cast<std::uint8_t>(number)};
}

std::vector<Attachment*> find_gpus(Topology& topology, const MappedDevice& mapped) {
  std::vector<Attachment*> found;
  for (const auto place : gpus_named(topology, mapped.name))
    found.push_back(&topology.gpus[place].at);
  return found;
}

std::vector<Attachment*> find_nics(Topology& topology, const std::string& name) {
  const auto is_bus_id = name.find(':') != name.npos;
  std::vector<Attachment*> found;
  for (auto& nic : topology.nics)
    if (is_bus_id ? nic.address == PciAddress::parse(name) : nic.name == name)
      found.push_back(&nic.at);
  if (found.empty())
    throw Error(fmt::format("NIC {} is not on this node; name it like mlx5_0 or 0000:07:00.0",
                            text::in_quotes(name)));
  return found;
}

void apply(Topology& topology, const MappedDevice& mapped, std::size_t number) {
  auto devices = mapped.is_nic ? find_nics(topology, mapped.name) : find_gpus(topology, mapped);
  std::vector<Attachment*> beside;
  for (const auto& name : mapped.nics)
    for (auto* nic : find_nics(topology, name)) beside.push_back(nic);
  for (auto* at : devices)
    if (!mapped.cpus.empty()) at->cpus = mapped.cpus & topology.pus;
  if (beside.empty()) return;
  // A NIC near several GPUs keeps the first GPU's switch; the other GPUs move to that switch.
  const auto bus = beside.front()->buses;
  const bool shared = !bus.empty() && bus.front() >= made_up_bus(0);
  const auto first = made_up_bus(2 * number);
  const auto second = made_up_bus(2 * number + 1);
  const auto behind = shared ? bus : std::vector<PciBus>{first, second};
  for (auto* at : devices) at->buses = behind;
  for (auto* at : beside) {
    at->buses = behind;
    if (!mapped.cpus.empty()) at->cpus = mapped.cpus & topology.pus;
  }
}

}  // namespace

bool lacks_locations(const Topology& topology, const std::vector<DeviceLocation>& places) {
  const auto lacks = [&](const auto& device) {
    return place_of(device, places) != nullptr && is_nowhere(topology, device.at);
  };
  return std::ranges::any_of(topology.gpus, lacks) || std::ranges::any_of(topology.nics, lacks);
}

Placed with_places(Topology topology, const std::vector<DeviceLocation>& places,
                   std::string_view name) {
  Placed result{std::move(topology), {}};
  auto& node = result.topology;
  std::vector<std::string> unplaced;
  move_devices(node.gpus, node, places, unplaced);
  move_devices(node.nics, node, places, unplaced);
  if (!unplaced.empty())
    result.warnings.push_back(fmt::format(
        "topology {} places {} of {} ({}{}) at memory nodes and CPUs that this node lacks, so "
        "muster places no rank near {}; correct the file",
        text::in_quotes(name), unplaced.size(),
        text::count(node.gpus.size() + node.nics.size(), "device"),
        unplaced.size() == 1 ? "" : "including ", unplaced.front(),
        unplaced.size() == 1 ? "this device" : "these devices"));
  return result;
}

Placed with_map(Topology topology, const std::vector<MappedDevice>& map) {
  Placed result{std::move(topology), {}};
  for (std::size_t i = 0; i < map.size(); ++i) {
    try {
      apply(result.topology, map[i], i);
    } catch (const Error& error) {
      result.warnings.push_back(fmt::format("{}: {}", map[i].where, error.what()));
    }
  }
  return result;
}

}  // namespace muster::topology
