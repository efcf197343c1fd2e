// Walks hwloc's I/O tree.
#include "core/topology/hwloc/pci_device.hpp"

#include "core/topology/hwloc/cpus.hpp"

#include <algorithm>

#include <hwloc.h>

namespace muster::topology::hwloc {
namespace {

OsDevice::Kind kind_of(const hwloc_obj& object) {
#if HWLOC_API_VERSION >= 0x00030000
  const auto types = object.attr->osdev.types;
  if ((types & HWLOC_OBJ_OSDEV_OPENFABRICS) != 0) return OsDevice::Kind::openfabrics;
  if ((types & HWLOC_OBJ_OSDEV_NETWORK) != 0) return OsDevice::Kind::network;
  if ((types & (HWLOC_OBJ_OSDEV_GPU | HWLOC_OBJ_OSDEV_COPROC)) != 0) return OsDevice::Kind::gpu;
  return OsDevice::Kind::other;
#else
  switch (object.attr->osdev.type) {
    case HWLOC_OBJ_OSDEV_OPENFABRICS:
      return OsDevice::Kind::openfabrics;
    case HWLOC_OBJ_OSDEV_NETWORK:
      return OsDevice::Kind::network;
    case HWLOC_OBJ_OSDEV_GPU:
    case HWLOC_OBJ_OSDEV_COPROC:
      return OsDevice::Kind::gpu;
    default:
      return OsDevice::Kind::other;
  }
#endif
}

void collect_os_devices(hwloc_obj* parent, std::vector<OsDevice>& devices) {
  for (hwloc_obj* child = parent->io_first_child; child != nullptr; child = child->next_sibling) {
    if (child->type != HWLOC_OBJ_OS_DEVICE || child->name == nullptr) continue;
    devices.push_back({kind_of(*child), child->name, child});
    collect_os_devices(child, devices);
  }
}

// The CPUs near a device that is attached to the root object, which means "somewhere": all CPUs if they are
// all alike, otherwise none. Memory without CPUs does not distinguish them: a GH200 is a single CPU with the
// memory of its GPU beside its own.
CpuSet cpus_near_root(hwloc_topology* hwloc) {
  const Topology node = read_cpus(hwloc);
  const bool all_alike = std::ranges::count(node.numa_nodes, false, &NumaNode::memory_only) <= 1 &&
                         node.packages.size() <= 1;
  return all_alike ? node.pus : CpuSet{};
}

CpuSet nearby_cpus(hwloc_topology* hwloc, hwloc_obj* device, const CpuSet& near_root) {
  const hwloc_obj* ancestor = hwloc_get_non_io_ancestor_obj(hwloc, device);
  const bool is_root = ancestor == nullptr || ancestor->parent == nullptr;
  return is_root ? near_root : to_cpuset(ancestor->cpuset);
}

std::vector<PciBus> buses_above(const hwloc_obj* device) {
  std::vector<PciBus> buses;
  for (const hwloc_obj* up = device->parent; up != nullptr; up = up->parent)
    if (up->type == HWLOC_OBJ_BRIDGE && up->attr->bridge.downstream_type == HWLOC_OBJ_BRIDGE_PCI)
      buses.push_back(
          {up->attr->bridge.downstream.pci.domain, up->attr->bridge.downstream.pci.secondary_bus});
  std::ranges::reverse(buses);
  return buses;
}

PciObject read(hwloc_topology* hwloc, hwloc_obj* object, const CpuSet& near_root) {
  const auto& pci = object->attr->pcidev;
  PciObject device;
  device.address = {pci.domain, pci.bus, pci.dev, pci.func};
  device.vendor = pci.vendor_id;
  device.device_class = pci.class_id;
  device.at = {nearby_cpus(hwloc, object, near_root), buses_above(object)};
  collect_os_devices(object, device.carries);
  return device;
}

}  // namespace

std::optional<std::string> OsDevice::info(const char* key) const {
  const char* value = hwloc_obj_get_info_by_name(object, key);
  if (value == nullptr) return std::nullopt;
  return value;
}

std::vector<PciObject> read_pci_objects(hwloc_topology* hwloc) {
  std::vector<PciObject> devices;
  const CpuSet near_root = cpus_near_root(hwloc);
  for (hwloc_obj* object = hwloc_get_next_pcidev(hwloc, nullptr); object != nullptr;
       object = hwloc_get_next_pcidev(hwloc, object))
    devices.push_back(read(hwloc, object, near_root));
  std::ranges::sort(devices, {}, &PciObject::address);
  return devices;
}

}  // namespace muster::topology::hwloc
