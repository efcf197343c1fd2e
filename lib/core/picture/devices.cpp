#include "core/picture/devices.hpp"

#include "core/picture/palette.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <span>

#include <fmt/format.h>

namespace muster::picture {
namespace {

// One GPU, one partition of a GPU, or one NIC.
struct Device {
  bool gpu = false;
  std::string name;  // "GPU 3", "mlx5_0"
  std::string who;
  std::string_view color;
  topology::PciAddress address;
  bool on_pci = true;
  topology::Attachment at;
};

using Devices = std::vector<Device>;

Devices devices_of(const topology::Topology& topology, const NodeOwners& owners,
                   const plan::NodePlan& plan) {
  Devices devices;
  for (std::size_t i = 0; i < topology.gpus.size(); ++i) {
    const auto& gpu = topology.gpus[i];
    devices.push_back({true, fmt::format("GPU {}", gpu.index), long_text(owners.gpus[i], plan),
                       color_of(owners.gpus[i]), gpu.address, on_pci(gpu), gpu.at});
  }
  for (std::size_t i = 0; i < topology.nics.size(); ++i) {
    const auto& nic = topology.nics[i];
    devices.push_back({false, nic.name, long_text(owners.nics[i], plan), color_of(owners.nics[i]),
                       nic.address, true, nic.at});
  }
  std::ranges::stable_sort(devices, {}, &Device::address);
  return devices;
}

std::string text_of(const Device& device) {
  return device.who.empty() ? device.name : fmt::format("{}: {}", device.who, device.name);
}

Element os_device(const Device& device) {
  const auto* const type = device.gpu ? "1" : "3";  // hwloc's type numbers for GPU and OpenFabrics
  // The type already says "GPU"
  const auto name = device.gpu ? device.name.substr(4) : device.name;
  const auto who = device.who.empty() ? "" : fmt::format(" {}", device.who);
  return {"OSDev", {{"name", plain(name + who)}, {"osdev_type", type}}, std::string(device.color)};
}

// The devices behind one PCI address.
Element pci_device(std::span<const Device> here, std::size_t width) {
  const auto& first = here.front();
  const auto busid = to_string(first.address);
  const auto* const kind =
      first.gpu ? "0302 [0000:0000] [0000:0000] 00" : "0200 [0000:0000] [0000:0000] 00";
  Element element{"PCIDev", {{"pci_busid", busid}, {"pci_type", kind}, {"pci_link_speed", "0.0"}}};
  if (here.size() == 1) {
    element.attributes.push_back(words(fmt::format("{:<{}}", text_of(first), width)));
    element.background = first.color;
    return element;
  }
  element.attributes.push_back(words(first.gpu ? "GPU" : "NIC"));
  element.background = package_color;
  for (const auto& device : here) element.children.push_back(os_device(device));
  return element;
}

Element bridge(const Devices& below, std::size_t depth, std::vector<Element> children) {
  const auto& bus = below.front().at.buses[depth];
  const auto last = std::ranges::max(below, {}, [](const Device& device) {
                      return device.address.bus;
                    }).address.bus;
  Element element{"Bridge",
                  {{"bridge_type", depth == 0 ? "0-1" : "1-1"},
                   {"depth", fmt::to_string(depth)},
                   {"bridge_pci", fmt::format("{:04x}:[{:02x}-{:02x}]", bus.domain, bus.bus,
                                              std::max(bus.bus, last))}},
                  std::string(page_color),
                  std::move(children)};
  if (depth == 0) return element;
  const auto& above = below.front().at.buses[depth - 1];
  element.attributes.emplace_back("pci_busid",
                                  fmt::format("{:04x}:{:02x}:00.0", above.domain, above.bus));
  element.attributes.emplace_back("pci_type", "0604 [0000:0000] [0000:0000] 00");
  element.attributes.emplace_back("pci_link_speed", "0.0");
  return element;
}

// Ordered by address: first the devices on this bus, then those behind its bridges.
std::vector<Element> on_bus(const Devices& devices, std::size_t depth, std::size_t width) {
  std::vector<Element> elements;
  std::map<topology::PciBus, Devices> behind;
  for (auto first = devices.begin(); first != devices.end();) {
    const auto last = std::find_if(first, devices.end(),
                                   [&](const Device& d) { return d.address != first->address; });
    if (first->at.buses.size() <= depth)
      elements.push_back(pci_device({first, last}, width));
    else
      std::ranges::copy(first, last, std::back_inserter(behind[first->at.buses[depth]]));
    first = last;
  }
  for (const auto& [bus, below] : behind) {
    auto children = on_bus(below, depth + 1, width);
    if (children.size() == 1 && depth > 0)
      elements.push_back(std::move(children.front()));
    else
      elements.push_back(bridge(below, depth, std::move(children)));
  }
  return elements;
}

}  // namespace

void add_devices(Part& machine, const topology::Topology& topology, const NodeOwners& owners,
                 const plan::NodePlan& plan) {
  std::size_t width = 0;
  std::map<CpuSet, Devices> by_place;
  for (const auto& device : devices_of(topology, owners, plan)) {
    if (!device.on_pci) {
      machine.devices.push_back(os_device(device));
      continue;
    }
    width = std::max(width, text_of(device).size());
    by_place[holder_of(machine, device.at.cpus).cpus].push_back(device);
  }
  for (const auto& [cpus, devices] : by_place) {
    auto elements = on_bus(devices, 0, width);
    auto& place = holder_of(machine, cpus).devices;
    std::ranges::move(elements, std::back_inserter(place));
  }
}

}  // namespace muster::picture
