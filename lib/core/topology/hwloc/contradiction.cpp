// hwloc's objects form a tree: the CPUs of an object are among those of its parent, and siblings share none.
// hwloc itself gives memory the CPUs of the object that it is attached to.
#include "core/topology/hwloc/contradiction.hpp"

#include "core/cpuset.hpp"
#include "core/topology/hwloc/cpus.hpp"
#include "core/topology/hwloc/pci_device.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <hwloc.h>

namespace muster::topology::hwloc {
namespace {

// "Package 1", "NUMANode 0"; some objects have no number.
std::string name_of(const hwloc_obj& object) {
  const std::string type = hwloc_obj_type_string(object.type);
  if (object.os_index == HWLOC_UNKNOWN_INDEX)
    return fmt::format("{} {}", type, object.logical_index);
  return fmt::format("{} {}", type, object.os_index);
}

std::string cpus_text(const CpuSet& cpus) {
  return fmt::format("{} {}", cpus.count() == 1 ? "CPU" : "CPUs", cpus.to_string());
}

std::string contradiction_with_parent(const hwloc_obj& object) {
  const CpuSet outside = to_cpuset(object.cpuset) - to_cpuset(object.parent->cpuset);
  if (outside.empty()) return {};
  return fmt::format("lists {} in {} but not in the enclosing {}", cpus_text(outside),
                     name_of(object), name_of(*object.parent));
}

std::string contradiction_below(const hwloc_obj& object) {
  CpuSet claimed;
  for (unsigned i = 0; i < object.arity; ++i) {
    const hwloc_obj& child = *object.children[i];
    const CpuSet cpus = to_cpuset(child.cpuset);
    if (const CpuSet both = cpus & claimed; !both.empty())
      return fmt::format("lists {} both in {} and in another {} of {}", cpus_text(both),
                         name_of(child), hwloc_obj_type_string(child.type), name_of(object));
    claimed |= cpus;
    if (auto found = contradiction_with_parent(child); !found.empty()) return found;
    if (auto found = contradiction_below(child); !found.empty()) return found;
  }
  return {};
}

struct Numbers {
  CpuSet all;
  std::string contradiction;
};

// The numbers of all CPUs or NUMA nodes; no two have the same one.
Numbers numbers_of(hwloc_topology* hwloc, hwloc_obj_type_t type) {
  Numbers found;
  for (hwloc_obj_t object = hwloc_get_next_obj_by_type(hwloc, type, nullptr); object != nullptr;
       object = hwloc_get_next_obj_by_type(hwloc, type, object)) {
    if (object->os_index >= CpuSet::index_limit)
      return {{}, fmt::format("has a {} without a number", hwloc_obj_type_string(type))};
    if (found.all.contains(object->os_index))
      return {{}, fmt::format("has {} twice", name_of(*object))};
    found.all.add(object->os_index);
  }
  return found;
}

// hwloc omits a PU that is not in the object that contains it.
std::string contradiction_among_cpus(hwloc_topology* hwloc) {
  auto [cpus, contradiction] = numbers_of(hwloc, HWLOC_OBJ_PU);
  if (!contradiction.empty()) return contradiction;
  const CpuSet missing = to_cpuset(hwloc_topology_get_topology_cpuset(hwloc)) - cpus;
  if (missing.empty()) return {};
  return fmt::format("lists {}, but has no PU for {}", cpus_text(missing),
                     missing.count() == 1 ? "it" : "them");
}

std::string contradiction_among_devices(hwloc_topology* hwloc) {
  const auto devices = read_pci_objects(hwloc);
  const auto same = std::ranges::adjacent_find(devices, {}, &PciObject::address);
  if (same == devices.end()) return {};
  return fmt::format("has two devices at {}", to_string(same->address));
}

}  // namespace

std::string find_contradiction(hwloc_topology* hwloc) {
  if (auto found = contradiction_among_cpus(hwloc); !found.empty()) return found;
  if (auto [all, found] = numbers_of(hwloc, HWLOC_OBJ_NUMANODE); !found.empty()) return found;
  if (auto found = contradiction_below(*hwloc_get_root_obj(hwloc)); !found.empty()) return found;
  return contradiction_among_devices(hwloc);
}

}  // namespace muster::topology::hwloc
