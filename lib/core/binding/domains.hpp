// Whole domains of a node (NUMA nodes, packages, L3 groups), and which of them a task is near.
#pragma once

#include "core/binding/policy.hpp"
#include "core/cpuset.hpp"

#include <cstddef>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::binding {

using Domains = std::vector<CpuSet>;

// The domains with CPUs for the step, limited to these CPUs.
Domains usable_domains(const Domains& domains, const CpuSet& allowed);

Domains touching(const Domains& domains, const CpuSet& cpus);

CpuSet joined(const Domains& domains);

// The usable domains near a task's GPUs. If these have no CPU for the step (`lost`), the domains of the
// nearest surrounding locality that has one. Empty if all domains are equally good.
struct Nearby {
  Domains domains;
  bool lost = false;
};

// One entry per task.
std::vector<Nearby> nearby_domains(const topology::Topology& topology, const Domains& all,
                                   const Localities& localities);

// Spreads the tasks without a nearby domain over the usable domains, neighbours side by side.
class Spread {
 public:
  Spread(const std::vector<Nearby>& tasks, const Domains& usable);

  const CpuSet& next();

 private:
  std::size_t tasks_;
  const Domains& usable_;
  std::size_t next_ = 0;
};

}  // namespace muster::binding
