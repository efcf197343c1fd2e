// The policies that give each task cores of its own: auto, core and exclusive.
#include "core/binding/cores/fair_share.hpp"
#include "core/binding/cores/locality.hpp"
#include "core/binding/cores/share_cores.hpp"
#include "core/binding/policy.hpp"
#include "core/error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster {
namespace {

CpuSet cpus_of(const Slots& share) {
  CpuSet cpus;
  for (const auto& slot : share) cpus |= slot.pus;
  return cpus;
}

std::vector<std::string> warnings_of(const Shares& shares, const CpuSet& allowed) {
  std::vector<std::string> warnings;
  const std::size_t tasks = shares.of_task.size();
  if (shares.overcommitted)
    warnings.push_back(
        fmt::format("{} tasks share CPUs {}: there are fewer CPUs than tasks; give the step more "
                    "with --cpus-per-task",
                    tasks, allowed.to_string()));
  else if (!shares.displaced.empty())
    warnings.push_back(
        fmt::format("{} of {} tasks found no free CPU beside their GPU and run elsewhere, local "
                    "rank {} first; the step has only CPUs {}",
                    shares.displaced.size(), tasks, shares.displaced.front(), allowed.to_string()));
  return warnings;
}

Placement placement_of(const Shares& shares, const CpuSet& allowed) {
  Placement placement;
  for (const auto& share : shares.of_task) placement.cpus.push_back(cpus_of(share));
  placement.warnings = warnings_of(shares, allowed);
  return placement;
}

// torchrun divides the NUMA nodes of a GPU, not only the part of them that is nearest.
std::vector<CpuSet> numa_homes(const Topology& topology, const Wishes& wishes) {
  std::vector<CpuSet> homes;
  for (const auto& home : wishes.homes)
    homes.push_back(home.empty() ? wishes.allowed : numa_around(topology, home) & wishes.allowed);
  return homes;
}

void require_a_core_each(const Topology& topology, const CpuSet& allowed,
                         const std::vector<CpuSet>& homes) {
  const auto groups = group_by_home(homes);
  const auto runs = deal_to_groups(usable_cores(topology, allowed), groups);
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (runs[g].size() < groups[g].tasks.size())
      throw Error(fmt::format(
          "bind=exclusive needs a core for each task, but {} tasks from local rank {} on have {} "
          "(allowed CPUs there: {}); use fewer tasks, more CPUs, or bind=auto",
          groups[g].tasks.size(), groups[g].tasks.front(), runs[g].size(),
          groups[g].home.empty() ? "none" : groups[g].home.to_string()));
}

}  // namespace

Placement place_shares(const Topology& topology, const Wishes& wishes) {
  return placement_of(share_cores(topology, wishes.allowed, wishes.homes), wishes.allowed);
}

Placement place_one_core(const Topology& topology, const Wishes& wishes) {
  auto shares = share_cores(topology, wishes.allowed, wishes.homes);
  for (auto& share : shares.of_task) share.resize(1);
  return placement_of(shares, wishes.allowed);
}

Placement place_exclusive(const Topology& topology, const Wishes& wishes) {
  const auto homes = numa_homes(topology, wishes);
  require_a_core_each(topology, wishes.allowed, homes);
  return placement_of(share_cores(topology, wishes.allowed, homes), wishes.allowed);
}

}  // namespace muster
