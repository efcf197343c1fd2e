// One share of cores per task, given where each task would like to run.
#pragma once

#include "core/binding/cores/core_slots.hpp"
#include "core/cpuset.hpp"
#include "core/topology/topology.hpp"

#include <cstddef>
#include <vector>

namespace muster::binding::cores {

struct Shares {
  std::vector<CoreSlots> of_task;
  std::vector<std::size_t> displaced;  // tasks that found no room where they wanted to be
  bool overcommitted = false;          // fewer PUs than tasks: some tasks share a PU
};

// `localities` holds one CPU set per task, empty where nothing is known. Shares lie inside `allowed`,
// and inside the locality unless its task is displaced; they are disjoint unless overcommitted.
Shares share_cores(const topology::Topology& topology, const CpuSet& allowed,
                   std::vector<CpuSet> localities);

}  // namespace muster::binding::cores
