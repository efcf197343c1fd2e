// Cuts a run of cores into one share per task.
#pragma once

#include "core/binding/cores/core_slots.hpp"

#include <cstddef>
#include <vector>

namespace muster::binding::cores {

// One share per task, disjoint, all slots handed out, sizes within one slot of each other. Which
// shares get the extra slot is chosen so that as few packages, then NUMA nodes, then L3 groups as
// possible are shared. Needs 1 <= tasks <= slots.size().
std::vector<CoreSlots> split_evenly(const CoreSlots& slots, std::size_t tasks);

// For more tasks than cores: every task gets hardware threads of a single core, disjoint, as
// even as the cores allow. Needs slots.size() <= tasks <= count_pus(slots).
std::vector<CoreSlots> split_cores(const CoreSlots& slots, std::size_t tasks);

}  // namespace muster::binding::cores
