#include "core/picture/processors.hpp"

#include "core/picture/palette.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace muster::picture {
namespace {

Part part(const topology::Topology& topology, const char* type, std::size_t index,
          const CpuSet& cpus, std::string_view text, std::string_view background) {
  Element element{type, sets(topology, cpus), std::string(background)};
  element.attributes.emplace_back("os_index", fmt::to_string(index));
  if (!text.empty()) element.attributes.push_back(words(text));
  return {cpus, std::move(element)};
}

std::string text_of(const Owners& owners, const plan::NodePlan& plan, const CpuSet& cpus) {
  const auto who = short_text(owners, plan);
  return who.empty() ? cpus.to_string() : fmt::format("{} {}", who, cpus.to_string());
}

// lstopo makes boxes as wide as their text; only boxes of equal width line up in rows and columns.
std::size_t widest(const topology::Topology& topology, const NodeOwners& owners,
                   const plan::NodePlan& plan, bool threads) {
  std::size_t width = 0;
  for (const auto& core : topology.cores) {
    const auto who = owners_of_pu(owners, core.pus.first().value_or(0));
    if (!threads) width = std::max(width, text_of(who, plan, core.pus).size());
    for (const auto pu : core.pus)
      if (threads)
        width = std::max(width, text_of(owners_of_pu(owners, pu), plan, CpuSet{pu}).size());
  }
  return width;
}

std::string padded(const std::string& text, std::size_t width) {
  return fmt::format("{:<{}}", text, width);
}

void add_cores(Part& machine, const topology::Topology& topology, const NodeOwners& owners,
               const plan::NodePlan& plan) {
  const bool threads = threads_differ(topology, owners);
  const auto width = widest(topology, owners, plan, threads);
  for (std::size_t i = 0; i < topology.cores.size(); ++i) {
    const auto& pus = topology.cores[i].pus;
    const auto who = owners_of_pu(owners, pus.first().value_or(0));
    auto core = part(topology, "Core", i, pus, padded(text_of(who, plan, pus), width),
                     threads ? package_color : color_of(who));
    for (const auto pu : pus) {
      const auto own = owners_of_pu(owners, pu);
      const CpuSet only{pu};
      core.below.push_back(
          part(topology, "PU", pu, only, padded(text_of(own, plan, only), width), color_of(own)));
    }
    insert(machine, std::move(core));
  }
}

std::string memory_text(const topology::NumaNode& node, const Owners& owners,
                        const plan::NodePlan& plan) {
  if (node.memory_only) return fmt::format("memory {} (no CPUs)", node.os_index);
  const auto who = long_text(owners, plan);
  return fmt::format("memory {}{}{}", node.os_index, who.empty() ? "" : ": ", who);
}

void add_memory(Part& machine, const topology::Topology& topology, const NodeOwners& owners,
                const plan::NodePlan& plan) {
  for (const auto& node : topology.numa_nodes) {
    const auto found = owners.numa.find(node.os_index);
    const auto who = found == owners.numa.end() ? Owners() : found->second;
    auto& holder = holder_of(machine, node.cpus);
    auto memory = part(topology, "NUMANode", node.os_index, holder.cpus,
                       memory_text(node, who, plan), color_of(who));
    memory.element.attributes[2].second = memory.element.attributes[3].second =
        bitmap(topology::NodeSet{node.os_index});
    memory.element.attributes.emplace_back("local_memory", "0");
    holder.memory.push_back(std::move(memory.element));
  }
}

// hwloc attaches memory to an object with the same CPUs, or to a group if there is no such object.
bool needs_group(const topology::Topology& topology, const topology::NumaNode& node) {
  const auto same = [&](const auto& other) { return other.cpus == node.cpus; };
  return !node.cpus.empty() && node.cpus != topology.pus &&
         std::ranges::none_of(topology.packages, same) &&
         std::ranges::none_of(topology.l3_groups, same);
}

}  // namespace

bool threads_differ(const topology::Topology& topology, const NodeOwners& owners) {
  return std::ranges::any_of(topology.cores, [&](const topology::Core& core) {
    const auto first = owners_of_pu(owners, core.pus.first().value_or(0));
    return std::ranges::any_of(core.pus,
                               [&](unsigned pu) { return owners_of_pu(owners, pu) != first; });
  });
}

Part processors(const topology::Topology& topology, const NodeOwners& owners,
                const plan::NodePlan& plan) {
  auto machine = part(topology, "Machine", 0, topology.pus, plan.node, page_color);
  std::vector<Part> parts;
  for (const auto& package : topology.packages)
    parts.push_back(part(topology, "Package", package.os_index, package.cpus,
                         fmt::format("package {}", package.os_index), package_color));
  for (const auto& node : topology.numa_nodes) {
    const auto is_there = [&](const Part& other) { return other.cpus == node.cpus; };
    if (!needs_group(topology, node) || std::ranges::any_of(parts, is_there)) continue;
    parts.push_back(part(topology, "Group", node.os_index, node.cpus, "", page_color));
    parts.back().element.attributes.emplace_back("kind", "1001");
    parts.back().element.attributes.emplace_back("subkind", "0");
  }
  for (std::size_t i = 0; i < topology.l3_groups.size(); ++i) {
    parts.push_back(part(topology, "L3Cache", i, topology.l3_groups[i].cpus, "L3", page_color));
    for (const char* name : {"cache_size", "cache_linesize", "cache_associativity", "cache_type"})
      parts.back().element.attributes.emplace_back(name, "0");
    parts.back().element.attributes.emplace_back("depth", "3");
  }
  std::ranges::stable_sort(parts, std::greater(), [](const Part& p) { return p.cpus.count(); });
  for (auto& each : parts) insert(machine, std::move(each));
  add_cores(machine, topology, owners, plan);
  add_memory(machine, topology, owners, plan);
  return machine;
}

}  // namespace muster::picture
