// The policies that give each task a whole domain, which tasks may share: numa, socket and l3.
#include "core/binding/domains.hpp"
#include "core/binding/policy.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace muster::binding {
namespace {

std::string_view part_name(std::string_view word) {
  if (word == "numa") return "NUMA node";
  return word == "l3" ? "L3 cache" : word;
}

CpuBinding without_parts(const Localities& localities, std::string_view word) {
  CpuBinding binding = bind_everywhere(localities);
  binding.warnings.push_back(
      fmt::format("bind={} has no effect: the hardware reports no {} for the step's CPUs", word,
                  part_name(word)));
  return binding;
}

void warn_of_lost_localities(CpuBinding& binding, const std::vector<Nearby>& tasks,
                             const CpuSet& allowed) {
  const auto lost = std::ranges::count_if(tasks, &Nearby::lost);
  if (lost > 0)
    binding.warnings.push_back(
        fmt::format("tasks without an allowed CPU near their GPU run elsewhere ({} of {}); the "
                    "step has only CPUs {}",
                    lost, tasks.size(), allowed.to_string()));
}

// `choose` picks from the domains near a task.
template <typename Choose>
CpuBinding bind_domains(const topology::Topology& topology, const Domains& all,
                        const Localities& localities, std::string_view word, Choose choose) {
  const Domains usable = usable_domains(all, localities.allowed);
  if (usable.empty()) return without_parts(localities, word);
  const auto tasks = nearby_domains(topology, all, localities);
  CpuBinding binding;
  Spread spread(tasks, usable);
  for (const auto& near : tasks)
    binding.cpus.push_back(near.domains.empty() ? spread.next() : choose(near.domains));
  warn_of_lost_localities(binding, tasks, localities.allowed);
  return binding;
}

// Takes the domain that the fewest tasks have so far; if several tie, the largest, then the first.
class InTurn {
 public:
  CpuSet operator()(const Domains& domains) {
    const auto before = [&](const CpuSet& a, const CpuSet& b) {
      return std::pair(tasks_of_[a], b.count()) < std::pair(tasks_of_[b], a.count());
    };
    const CpuSet& part = *std::ranges::min_element(domains, before);
    ++tasks_of_[part];
    return part;
  }

 private:
  std::map<CpuSet, std::size_t> tasks_of_;
};

Domains numa_domains(const topology::Topology& topology) {
  Domains domains;
  for (const auto& node : topology.numa_nodes)
    if (!node.memory_only) domains.push_back(node.cpus);
  return domains;
}

// If an L3 cache serves several NUMA nodes (sub-NUMA clusters), its part in each node counts as a domain.
Domains l3_domains(const topology::Topology& topology) {
  Domains domains;
  for (const auto& group : topology.l3_groups) {
    const Domains nodes = touching(numa_domains(topology), group.cpus);
    if (nodes.empty()) domains.push_back(group.cpus);  // hwloc does not list nodes without memory
    for (const auto& node : nodes) domains.push_back(node & group.cpus);
  }
  return domains;
}

}  // namespace

CpuBinding bind_numa(const topology::Topology& topology, const Localities& localities) {
  return bind_domains(topology, numa_domains(topology), localities, "numa", joined);
}

CpuBinding bind_socket(const topology::Topology& topology, const Localities& localities) {
  Domains domains;
  for (const auto& package : topology.packages) domains.push_back(package.cpus);
  return bind_domains(topology, domains, localities, "socket", joined);
}

// Like torchrun's core-complex: the tasks of a locality take its L3 groups in turn, largest first.
CpuBinding bind_l3(const topology::Topology& topology, const Localities& localities) {
  if (const Domains domains = l3_domains(topology); !domains.empty())
    return bind_domains(topology, domains, localities, "l3", InTurn());
  CpuBinding binding = bind_numa(topology, localities);
  binding.warnings.emplace_back(
      "bind=l3 assigns whole NUMA nodes: the hardware reports no L3 caches");
  return binding;
}

}  // namespace muster::binding
