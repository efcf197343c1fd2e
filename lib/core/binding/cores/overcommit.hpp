// More tasks than CPUs: tasks share, evenly, and near their GPUs where they have some.
#pragma once

#include "core/binding/cores/core_slots.hpp"
#include "core/cpuset.hpp"

#include <vector>

namespace muster::binding::cores {

// One PU for each task, inside its locality: the one with the fewest tasks so far. Every locality must
// hold at least one of the PUs.
std::vector<CoreSlots> share_pus(const CoreSlots& pus, const std::vector<CpuSet>& localities);

}  // namespace muster::binding::cores
