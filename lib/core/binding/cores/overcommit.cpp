// Widens localities until none is more crowded than the step as a whole. If each task had a single CPU, two
// busy tasks could be stuck on one CPU while another is idle.
#include "core/binding/cores/overcommit.hpp"

#include "core/binding/cores/locality.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace muster::binding::cores {
namespace {

bool crowded(const CpuSet& locality, const std::vector<CpuSet>& localities, std::size_t per_cpu) {
  const auto inside = [&](const CpuSet& other) { return locality.includes(other); };
  const auto tasks = static_cast<std::size_t>(std::ranges::count_if(localities, inside));
  return tasks > locality.count() * per_cpu;
}

}  // namespace

std::vector<CpuSet> shared_cpus(const topology::Topology& topology, const CpuSet& allowed,
                                std::vector<CpuSet> localities) {
  const std::size_t per_cpu = (localities.size() + allowed.count() - 1) / allowed.count();
  for (bool changed = true; changed;) {
    auto wider = localities;
    for (auto& locality : wider)
      if (crowded(locality, localities, per_cpu))
        locality = wider_locality(topology, allowed, locality) & allowed;
    std::swap(localities, wider);
    changed = localities != wider;
  }
  return localities;
}

}  // namespace muster::binding::cores
