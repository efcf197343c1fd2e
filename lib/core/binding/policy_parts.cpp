// The policies that give each task a whole part of the machine, which tasks may share: numa,
// socket and l3.
#include "core/binding/home.hpp"
#include "core/binding/policy.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace muster {
namespace {

using Parts = std::vector<CpuSet>;

Parts usable_parts(const Parts& parts, const CpuSet& allowed) {
  Parts usable;
  for (const auto& part : parts)
    if (part.intersects(allowed)) usable.push_back(part & allowed);
  return usable;
}

// Tasks without a place of their own are spread over the parts, neighbours side by side.
class Spread {
 public:
  Spread(std::size_t tasks, const Parts& parts) : tasks_(tasks), parts_(parts) {}

  const CpuSet& next() {
    const std::size_t task = next_++;
    return parts_[tasks_ <= parts_.size() ? task * parts_.size() / tasks_ : task % parts_.size()];
  }

 private:
  std::size_t tasks_;
  const Parts& parts_;
  std::size_t next_ = 0;
};

std::size_t homeless(const std::vector<CpuSet>& homes, const CpuSet& allowed) {
  return static_cast<std::size_t>(
      std::ranges::count_if(homes, [&](const CpuSet& home) { return !home.intersects(allowed); }));
}

Placement without_parts(const Wishes& wishes, std::string_view word) {
  Placement placement = place_everywhere(wishes);
  placement.warnings.push_back(
      fmt::format("bind={0} has no effect: the hardware reports no {0} of the step's CPUs", word));
  return placement;
}

void warn_of_lost_homes(Placement& placement, const Wishes& wishes) {
  const auto lost = std::ranges::count_if(wishes.homes, [&](const CpuSet& home) {
    return !home.empty() && !home.intersects(wishes.allowed);
  });
  if (lost > 0)
    placement.warnings.push_back(
        fmt::format("{} of {} tasks have no allowed CPU beside their GPU and run elsewhere; the "
                    "step has only CPUs {}",
                    lost, wishes.homes.size(), wishes.allowed.to_string()));
}

Placement place_parts(const Parts& all, const Wishes& wishes, std::string_view word) {
  const Parts parts = usable_parts(all, wishes.allowed);
  if (parts.empty()) return without_parts(wishes, word);
  Placement placement;
  Spread spread(homeless(wishes.homes, wishes.allowed), parts);
  for (const auto& home : wishes.homes) {
    CpuSet cpus;
    for (const auto& part : parts)
      if (part.intersects(home)) cpus |= part;
    placement.cpus.push_back(cpus.empty() ? spread.next() : cpus);
  }
  warn_of_lost_homes(placement, wishes);
  return placement;
}

Parts parts_inside(const Parts& parts, const CpuSet& home) {
  Parts inside;
  for (const auto& part : parts)
    if (part.intersects(home)) inside.push_back(part);
  std::ranges::stable_sort(inside, std::greater{}, &CpuSet::count);
  return inside;
}

}  // namespace

Placement place_numa(const Topology& topology, const Wishes& wishes) {
  Parts parts;
  for (const auto& node : topology.numa_nodes)
    if (!node.memory_only) parts.push_back(node.cpus);
  return place_parts(parts, wishes, "numa");
}

Placement place_socket(const Topology& topology, const Wishes& wishes) {
  Parts parts;
  for (const auto& package : topology.packages) parts.push_back(package.cpus);
  return place_parts(parts, wishes, "socket");
}

// As torchrun's core-complex: the i-th task of a locality takes its i-th L3 group, largest first.
Placement place_l3(const Topology& topology, const Wishes& wishes) {
  Parts all;
  for (const auto& group : topology.l3_groups) all.push_back(group.cpus);
  const Parts parts = usable_parts(all, wishes.allowed);
  if (parts.empty()) return without_parts(wishes, "l3");
  Placement placement;
  Spread spread(homeless(wishes.homes, wishes.allowed), parts);
  std::map<CpuSet, std::size_t> taken;
  for (const auto& home : wishes.homes) {
    const Parts inside = parts_inside(parts, home);
    placement.cpus.push_back(inside.empty() ? spread.next()
                                            : inside[taken[home]++ % inside.size()]);
  }
  warn_of_lost_homes(placement, wishes);
  return placement;
}

}  // namespace muster
