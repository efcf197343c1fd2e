// Converts hwloc's packages, NUMA nodes, L3 caches and cores to muster's values.
#include "core/topology/hwloc/cpus.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <string_view>

#include <hwloc.h>

namespace muster::topology::hwloc {
namespace {

template <typename Visit>
void for_each(hwloc_topology_t hwloc, hwloc_obj_type_t type, Visit visit) {
  for (hwloc_obj_t object = hwloc_get_next_obj_by_type(hwloc, type, nullptr); object != nullptr;
       object = hwloc_get_next_obj_by_type(hwloc, type, object))
    visit(*object);
}

// hwloc marks a GPU's memory by this subtype.
bool is_device_memory(const hwloc_obj& node) {
  return node.subtype != nullptr && std::string_view(node.subtype) == "GPUMemory";
}

// hwloc attaches memory without processors to its nearest CPUs; only the first node of a CPU is
// that CPU's own.
std::vector<NumaNode> read_numa_nodes(hwloc_topology_t hwloc) {
  std::vector<NumaNode> nodes;
  for_each(hwloc, HWLOC_OBJ_NUMANODE, [&](const hwloc_obj& object) {
    nodes.push_back({object.os_index, to_cpuset(object.cpuset), is_device_memory(object)});
  });
  CpuSet owned;
  std::ranges::sort(nodes, {}, &NumaNode::os_index);
  for (auto& node : nodes) {
    node.memory_only = node.memory_only || node.cpus.empty() || node.cpus.intersects(owned);
    if (!node.memory_only) owned |= node.cpus;
  }
  return nodes;
}

template <typename Part>
std::optional<std::size_t> holder_of(const std::vector<Part>& parts, const CpuSet& pus) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if constexpr (requires { parts[i].memory_only; })
      if (parts[i].memory_only) continue;
    if (parts[i].cpus.includes(pus)) return i;
  }
  return std::nullopt;
}

Core make_core(const Topology& topology, CpuSet pus) {
  Core core;
  core.package = holder_of(topology.packages, pus);
  core.numa = holder_of(topology.numa_nodes, pus);
  core.l3 = holder_of(topology.l3_groups, pus);
  core.pus = std::move(pus);
  return core;
}

// On machines without a core level (some virtual machines), each PU counts as its own core.
void read_cores(hwloc_topology_t hwloc, Topology& topology) {
  CpuSet in_cores;
  for_each(hwloc, HWLOC_OBJ_CORE, [&](const hwloc_obj& object) {
    topology.cores.push_back(make_core(topology, to_cpuset(object.cpuset)));
    in_cores |= topology.cores.back().pus;
  });
  for_each(hwloc, HWLOC_OBJ_PU, [&](const hwloc_obj& object) {
    if (!in_cores.contains(object.os_index))
      topology.cores.push_back(make_core(topology, {object.os_index}));
  });
}

}  // namespace

CpuSet to_cpuset(const hwloc_bitmap_s* bitmap) {
  CpuSet set;
  if (bitmap == nullptr) return set;
  for (int index = hwloc_bitmap_next(bitmap, -1); index >= 0;
       index = hwloc_bitmap_next(bitmap, index))
    set.add(static_cast<unsigned>(index));
  return set;
}

Topology read_cpus(hwloc_topology* hwloc) {
  Topology topology;
  topology.pus = to_cpuset(hwloc_topology_get_topology_cpuset(hwloc));
  for_each(hwloc, HWLOC_OBJ_PACKAGE, [&](const hwloc_obj& object) {
    topology.packages.push_back({object.os_index, to_cpuset(object.cpuset)});
  });
  for_each(hwloc, HWLOC_OBJ_L3CACHE, [&](const hwloc_obj& object) {
    topology.l3_groups.push_back({to_cpuset(object.cpuset)});
  });
  topology.numa_nodes = read_numa_nodes(hwloc);
  read_cores(hwloc, topology);
  return topology;
}

}  // namespace muster::topology::hwloc
