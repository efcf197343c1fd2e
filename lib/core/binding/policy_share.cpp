// The policies that give each task its own cores: auto, core and exclusive.
#include "core/binding/cores/fair_share.hpp"
#include "core/binding/cores/locality.hpp"
#include "core/binding/cores/share_cores.hpp"
#include "core/binding/policy.hpp"
#include "core/error.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::binding {
namespace {

CpuSet cpus_of(const cores::CoreSlots& share) {
  CpuSet cpus;
  for (const auto& slot : share) cpus |= slot.pus;
  return cpus;
}

std::vector<std::string> warnings_of(const cores::Shares& shares, const CpuSet& allowed) {
  std::vector<std::string> warnings;
  const std::size_t tasks = shares.of_task.size();
  if (shares.overcommitted)
    warnings.push_back(fmt::format(
        "{} tasks share CPUs {}: there are fewer CPUs than tasks; start fewer tasks, or "
        "give them more CPUs",
        tasks, allowed.to_string()));
  else if (!shares.displaced.empty())
    warnings.push_back(fmt::format(
        "tasks without a free CPU near their GPU run elsewhere ({} of {}{} local rank {}); "
        "the step has only CPUs {}",
        shares.displaced.size(), tasks, shares.displaced.size() == 1 ? ":" : ", starting with",
        shares.displaced.front(), allowed.to_string()));
  return warnings;
}

CpuBinding binding_of(const cores::Shares& shares, const CpuSet& allowed) {
  CpuBinding binding;
  for (const auto& share : shares.of_task) binding.cpus.push_back(cpus_of(share));
  binding.warnings = warnings_of(shares, allowed);
  return binding;
}

// torchrun divides the GPU's whole NUMA nodes, not only their nearest part.
std::vector<CpuSet> numa_localities(const topology::Topology& topology,
                                    const Localities& localities) {
  std::vector<CpuSet> wanted;
  for (const auto& locality : localities.of_task)
    wanted.push_back(locality.empty()
                         ? localities.allowed
                         : cores::numa_around(topology, locality) & localities.allowed);
  return wanted;
}

std::string tasks_text(const std::vector<std::size_t>& tasks) {
  if (tasks.size() == 1) return fmt::format("local rank {}", tasks.front());
  return fmt::format("{} tasks, starting at local rank {},", tasks.size(), tasks.front());
}

void require_a_core_each(const topology::Topology& topology, const CpuSet& allowed,
                         const std::vector<CpuSet>& wanted) {
  const auto groups = cores::group_by_locality(wanted);
  const auto runs = divide_among_groups(cores::usable_cores(topology, allowed), groups);
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (runs[g].size() < groups[g].tasks.size())
      throw Error(
          fmt::format("bind=exclusive needs a core for each task, but {} would get {} (allowed "
                      "CPUs nearby: {}); use fewer tasks, more CPUs, or bind=auto",
                      tasks_text(groups[g].tasks),
                      runs[g].empty() ? "none" : "only " + text::count(runs[g].size(), "core"),
                      groups[g].locality.empty() ? "none" : groups[g].locality.to_string()));
}

}  // namespace

CpuBinding bind_shares(const topology::Topology& topology, const Localities& localities) {
  return binding_of(cores::share_cores(topology, localities.allowed, localities.of_task),
                    localities.allowed);
}

CpuBinding bind_one_core(const topology::Topology& topology, const Localities& localities) {
  auto shares = cores::share_cores(topology, localities.allowed, localities.of_task);
  // With one core each, two busy tasks could share a core while another is idle.
  if (!shares.overcommitted)
    for (auto& share : shares.of_task) share.resize(1);
  return binding_of(shares, localities.allowed);
}

CpuBinding bind_exclusive(const topology::Topology& topology, const Localities& localities) {
  const auto wanted = numa_localities(topology, localities);
  require_a_core_each(topology, localities.allowed, wanted);
  return binding_of(cores::share_cores(topology, localities.allowed, wanted), localities.allowed);
}

}  // namespace muster::binding
