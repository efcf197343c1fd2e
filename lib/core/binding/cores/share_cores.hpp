// One share of cores per task, given where each task should preferably run.
#pragma once

#include "core/binding/cores/core_slots.hpp"
#include "core/cpuset.hpp"

#include <cstddef>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::binding::cores {

struct Shares {
  std::vector<CoreSlots> of_task;      // if overcommitted, what each task shares with others
  std::vector<std::size_t> displaced;  // tasks that found no room in their locality
  bool overcommitted = false;          // fewer PUs than tasks
};

// `localities` holds one CPU set per task, empty if the locality is unknown. Shares lie inside
// `allowed`, and inside the task's locality unless the task is displaced. Shares are disjoint
// unless overcommitted.
Shares share_cores(const topology::Topology& topology, const CpuSet& allowed,
                   std::vector<CpuSet> localities);

}  // namespace muster::binding::cores
