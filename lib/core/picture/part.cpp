#include "core/picture/part.hpp"

#include "core/topology/topology.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::picture {

void insert(Part& tree, Part part) {
  for (auto& child : tree.below)
    if (child.cpus.includes(part.cpus)) return insert(child, std::move(part));
  tree.below.push_back(std::move(part));
}

Part& holder_of(Part& tree, const CpuSet& cpus) {
  if (cpus.empty() || tree.cpus == cpus) return tree;
  for (auto& child : tree.below)
    if (child.cpus.includes(cpus)) return holder_of(child, cpus);
  return tree;
}

// Memory without processors of its own is equally near to all processors.
std::vector<std::pair<std::string, std::string>> sets(const topology::Topology& topology,
                                                      const CpuSet& cpus) {
  topology::NodeSet nodes;
  for (const auto& node : topology.numa_nodes)
    if (node.cpus.empty() || node.cpus.intersects(cpus)) nodes.add(node.os_index);
  if (topology.numa_nodes.empty()) nodes.add(0);
  const auto cpu_bits = bitmap(cpus);
  const auto node_bits = bitmap(nodes);
  return {{"cpuset", cpu_bits},
          {"complete_cpuset", cpu_bits},
          {"nodeset", node_bits},
          {"complete_nodeset", node_bits}};
}

Element to_element(Part part) {
  auto element = std::move(part.element);
  std::ranges::move(part.memory, std::back_inserter(element.children));
  for (auto& child : part.below) element.children.push_back(to_element(std::move(child)));
  std::ranges::move(part.devices, std::back_inserter(element.children));
  return element;
}

}  // namespace muster::picture
