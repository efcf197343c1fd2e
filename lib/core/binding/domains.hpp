// Whole parts of a node (NUMA nodes, packages, L3 groups) and which of them a task is beside.
#pragma once

#include "core/binding/policy.hpp"
#include "core/cpuset.hpp"
#include "core/topology/topology.hpp"

#include <cstddef>
#include <vector>

namespace muster {

using Parts = std::vector<CpuSet>;

// Those with CPUs for the step, cut down to these.
Parts usable_parts(const Parts& parts, const CpuSet& allowed);

Parts touching(const Parts& parts, const CpuSet& cpus);

CpuSet joined(const Parts& parts);

// The usable parts beside a task's GPUs. Where these have no CPU for the step (`lost`), those of
// the nearest place around that has some. None where every part is as good as another.
struct Nearby {
  Parts parts;
  bool lost = false;
};

// One per task.
std::vector<Nearby> nearby_parts(const Topology& topology, const Parts& all, const Wishes& wishes);

// Spreads the tasks that are beside nothing over the usable parts, neighbours side by side.
class Spread {
 public:
  Spread(const std::vector<Nearby>& tasks, const Parts& usable);

  const CpuSet& next();

 private:
  std::size_t tasks_;
  const Parts& usable_;
  std::size_t next_ = 0;
};

}  // namespace muster
