// Whole domains of a node (NUMA nodes, packages, L3 groups) and which of them a task is beside.
#pragma once

#include "core/binding/policy.hpp"
#include "core/cpuset.hpp"
#include "core/topology/topology.hpp"

#include <cstddef>
#include <vector>

namespace muster::binding {

using Domains = std::vector<CpuSet>;

// Those with CPUs for the step, cut down to these.
Domains usable_domains(const Domains& domains, const CpuSet& allowed);

Domains touching(const Domains& domains, const CpuSet& cpus);

CpuSet joined(const Domains& domains);

// The usable domains beside a task's GPUs. Where these have no CPU for the step (`lost`), those of
// the nearest place around that has some. None where every part is as good as another.
struct Nearby {
  Domains domains;
  bool lost = false;
};

// One per task.
std::vector<Nearby> nearby_domains(const topology::Topology& topology, const Domains& all,
                                   const Localities& localities);

// Spreads the tasks that are beside nothing over the usable domains, neighbours side by side.
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
