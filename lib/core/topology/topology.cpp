// Queries on a Topology.
#include "core/topology/topology.hpp"

namespace muster::topology {

std::vector<CpuSet> core_pus_by_logical_index(const Topology& topology) {
  std::vector<CpuSet> pus;
  pus.reserve(topology.cores.size());
  for (const auto& core : topology.cores) pus.push_back(core.pus);
  return pus;
}

std::string_view to_string(GpuVendor vendor) {
  switch (vendor) {
    case GpuVendor::nvidia:
      return "nvidia";
    case GpuVendor::amd:
      return "amd";
    case GpuVendor::intel:
      return "intel";
    case GpuVendor::other:
      return "other";
  }
  return "other";
}

NodeSet numa_nodes_of(const Topology& topology, const CpuSet& cpus) {
  NodeSet nodes;
  for (const auto& node : topology.numa_nodes)
    if (!node.memory_only && node.cpus.intersects(cpus)) nodes.add(node.os_index);
  return nodes;
}

}  // namespace muster::topology
