// Cuts a run of cores into one share per task.
#pragma once

#include "core/binding/cores/core_slots.hpp"

#include <cstddef>
#include <vector>

namespace muster::binding::cores {

// One disjoint share per task. All slots are used, and sizes differ by at most one slot. The shares with
// the extra slot are chosen to share as few packages as possible, then NUMA nodes, then L3 groups. Requires
// 1 <= tasks <= slots.size().
std::vector<CoreSlots> split_evenly(const CoreSlots& slots, std::size_t tasks);

// For more tasks than cores: every task gets hardware threads of a single core. The shares are disjoint and
// as even as the cores allow. Requires slots.size() <= tasks <= count_pus(slots).
std::vector<CoreSlots> split_cores(const CoreSlots& slots, std::size_t tasks);

}  // namespace muster::binding::cores
