// More tasks than CPUs: tasks share CPUs evenly, near their GPUs where they have any.
#pragma once

#include "core/binding/cores/core_slots.hpp"
#include "core/cpuset.hpp"

#include <vector>

namespace muster::binding::cores {

// One PU for each task, inside its locality: the PU with the fewest tasks so far. Every locality
// must hold at least one of the PUs.
std::vector<CoreSlots> share_pus(const CoreSlots& pus, const std::vector<CpuSet>& localities);

}  // namespace muster::binding::cores
