// The policies that give each task a whole part of the machine, which tasks may share: numa,
// socket and l3.
#include "core/binding/domains.hpp"
#include "core/binding/policy.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace muster {
namespace {

Placement without_parts(const Wishes& wishes, std::string_view word) {
  Placement placement = place_everywhere(wishes);
  placement.warnings.push_back(
      fmt::format("bind={0} has no effect: the hardware reports no {0} of the step's CPUs", word));
  return placement;
}

void warn_of_lost_homes(Placement& placement, const std::vector<Nearby>& tasks,
                        const CpuSet& allowed) {
  const auto lost = std::ranges::count_if(tasks, &Nearby::lost);
  if (lost > 0)
    placement.warnings.push_back(
        fmt::format("{} of {} tasks have no allowed CPU beside their GPU and run elsewhere; the "
                    "step has only CPUs {}",
                    lost, tasks.size(), allowed.to_string()));
}

// `choose` picks from the parts that a task is beside.
template <typename Choose>
Placement place_parts(const Topology& topology, const Parts& all, const Wishes& wishes,
                      std::string_view word, Choose choose) {
  const Parts usable = usable_parts(all, wishes.allowed);
  if (usable.empty()) return without_parts(wishes, word);
  const auto tasks = nearby_parts(topology, all, wishes);
  Placement placement;
  Spread spread(tasks, usable);
  for (const auto& near : tasks)
    placement.cpus.push_back(near.parts.empty() ? spread.next() : choose(near.parts));
  warn_of_lost_homes(placement, tasks, wishes.allowed);
  return placement;
}

// Takes the part that the fewest tasks have so far; of these the largest, then the first.
class InTurn {
 public:
  CpuSet operator()(const Parts& parts) {
    const auto before = [&](const CpuSet& a, const CpuSet& b) {
      return std::pair(tasks_of_[a], b.count()) < std::pair(tasks_of_[b], a.count());
    };
    const CpuSet& part = *std::ranges::min_element(parts, before);
    ++tasks_of_[part];
    return part;
  }

 private:
  std::map<CpuSet, std::size_t> tasks_of_;
};

Parts numa_parts(const Topology& topology) {
  Parts parts;
  for (const auto& node : topology.numa_nodes)
    if (!node.memory_only) parts.push_back(node.cpus);
  return parts;
}

// Where an L3 cache serves several NUMA nodes (sub-NUMA clusters), its part in each counts.
Parts l3_parts(const Topology& topology) {
  Parts parts;
  for (const auto& group : topology.l3_groups) {
    const Parts nodes = touching(numa_parts(topology), group.cpus);
    if (nodes.empty()) parts.push_back(group.cpus);  // hwloc names no node without memory
    for (const auto& node : nodes) parts.push_back(node & group.cpus);
  }
  return parts;
}

}  // namespace

Placement place_numa(const Topology& topology, const Wishes& wishes) {
  return place_parts(topology, numa_parts(topology), wishes, "numa", joined);
}

Placement place_socket(const Topology& topology, const Wishes& wishes) {
  Parts parts;
  for (const auto& package : topology.packages) parts.push_back(package.cpus);
  return place_parts(topology, parts, wishes, "socket", joined);
}

// As torchrun's core-complex: the tasks of a locality take its L3 groups in turn, largest first.
Placement place_l3(const Topology& topology, const Wishes& wishes) {
  if (const Parts parts = l3_parts(topology); !parts.empty())
    return place_parts(topology, parts, wishes, "l3", InTurn());
  Placement placement = place_numa(topology, wishes);
  placement.warnings.emplace_back(
      "bind=l3 gives whole NUMA nodes here: the hardware reports no L3 caches");
  return placement;
}

}  // namespace muster
