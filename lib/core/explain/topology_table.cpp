// A node's hardware as text for people. Lists of CPUs can be long, so they come last in each row.
#include "core/explain/topology_devices.hpp"
#include "core/explain/topology_view.hpp"
#include "core/text/amounts.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace muster::explain {
namespace {

std::size_t cores_on(const topology::Topology& topology, const CpuSet& cpus) {
  return static_cast<std::size_t>(std::ranges::count_if(
      topology.cores, [&](const topology::Core& core) { return core.pus.intersects(cpus); }));
}

// The groups that contain at least one of these CPUs; "" if the hardware has no such level.
template <typename Part>
std::string parts_on(const std::vector<Part>& parts, const CpuSet& cpus) {
  const auto count =
      std::ranges::count_if(parts, [&](const Part& part) { return part.cpus.intersects(cpus); });
  return parts.empty() ? "" : fmt::to_string(count);
}

std::string allowed_on(const TopologyView& view, const CpuSet& cpus) {
  if (!view.allowed) return {};
  const auto here = cpus & view.allowed->cpus;
  return here.empty() ? "none" : here.to_string();
}

std::string package_of(const topology::Topology& topology, const CpuSet& cpus) {
  for (const auto& package : topology.packages)
    if (!cpus.empty() && package.cpus.includes(cpus)) return fmt::to_string(package.os_index);
  return {};
}

// If so, the table of NUMA nodes already shows everything.
bool packages_are_numa_nodes(const topology::Topology& topology) {
  return std::ranges::all_of(topology.packages, [&](const topology::Package& package) {
    return std::ranges::any_of(topology.numa_nodes, [&](const topology::NumaNode& node) {
      return !node.memory_only && node.cpus == package.cpus;
    });
  });
}

std::string package_table(const TopologyView& view, const text::Paint& paint) {
  const auto& topology = view.topology;
  text::Columns table({"package", "NUMA", "L3", "cores", "CPUs", "allowed"});
  for (const auto& package : topology.packages) {
    table.add({fmt::to_string(package.os_index), numa_nodes_of(topology, package.cpus).to_string(),
               parts_on(topology.l3_groups, package.cpus),
               fmt::to_string(cores_on(topology, package.cpus)), package.cpus.to_string(),
               allowed_on(view, package.cpus)});
  }
  return packages_are_numa_nodes(topology) ? "" : '\n' + table.text(paint);
}

std::vector<std::string> numa_row(const TopologyView& view, const topology::NumaNode& node) {
  const auto& topology = view.topology;
  const auto index = fmt::to_string(node.os_index);
  if (node.memory_only) {
    const auto near = node.cpus.empty() ? "" : ", near CPUs " + node.cpus.to_string();
    return {index, package_of(topology, node.cpus), "", "0", "none: memory only" + near, ""};
  }
  return {index,
          package_of(topology, node.cpus),
          parts_on(topology.l3_groups, node.cpus),
          fmt::to_string(cores_on(topology, node.cpus)),
          node.cpus.to_string(),
          allowed_on(view, node.cpus)};
}

std::string numa_table(const TopologyView& view, const text::Paint& paint) {
  text::Columns table({"NUMA", "package", "L3", "cores", "CPUs", "allowed"});
  for (const auto& node : view.topology.numa_nodes) table.add(numa_row(view, node));
  return view.topology.numa_nodes.empty() ? "" : '\n' + table.text(paint);
}

// Left out if every NUMA node has exactly one: it would add nothing.
std::string l3_table(const TopologyView& view, const text::Paint& paint) {
  const auto& topology = view.topology;
  if (topology.l3_groups.size() <= topology.numa_nodes.size()) return {};
  text::Columns table({"L3", "NUMA", "cores", "CPUs", "allowed"});
  for (std::size_t i = 0; i < topology.l3_groups.size(); ++i) {
    const auto& cpus = topology.l3_groups[i].cpus;
    table.add({fmt::to_string(i), numa_nodes_of(topology, cpus).to_string(),
               fmt::to_string(cores_on(topology, cpus)), cpus.to_string(), allowed_on(view, cpus)});
  }
  return '\n' + table.text(paint);
}

std::string headline(const TopologyView& view) {
  const auto& topology = view.topology;
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) parts.push_back(text::count(count, what));
  };
  add(topology.packages.size(), "package");
  add(topology.numa_nodes.size(), "NUMA node");
  add(topology.l3_groups.size(), "L3 group");
  add(topology.cores.size(), "core");
  add(topology.pus.count(), "CPU");
  add(topology.gpus.size(), "GPU");
  add(topology.nics.size(), "NIC");
  const auto name = view.node.empty() ? view.source : view.node;
  return fmt::format("{}: {}", text::printable_path(name), text::join(parts, ", "));
}

std::string allowed_line(const TopologyView& view) {
  if (!view.allowed) return {};
  const auto& [whose, cpus, gpus] = *view.allowed;
  CpuSet indexes;
  for (const auto gpu : gpus) indexes.add(view.topology.gpus[gpu].index);
  return fmt::format("{}: CPUs {} ({}){}\n", text::printable(whose), cpus.to_string(),
                     text::count(cores_on(view.topology, cpus), "core"),
                     gpus.empty() ? "" : fmt::format(", GPUs {}", indexes.to_string()));
}

}  // namespace

std::string to_table(const TopologyView& view, const text::TableStyle& style) {
  const text::Paint paint(style.color);
  auto text = paint.bold(headline(view)) + '\n';
  if (!view.node.empty()) text += fmt::format("from {}\n", text::printable_path(view.source));
  text += allowed_line(view) + package_table(view, paint) + numa_table(view, paint) +
          l3_table(view, paint) + gpu_table(view, paint) + nic_table(view, paint) +
          relation_table(view, paint);
  for (const auto& warning : view.warnings)
    text += '\n' + paint.yellow("warning: " + warning) + '\n';
  return text;
}

}  // namespace muster::explain
