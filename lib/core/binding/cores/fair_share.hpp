// Deals the step's cores to tasks that each want some of them: the core of bind=auto.
#pragma once

#include "core/binding/cores/core_slots.hpp"
#include "core/cpuset.hpp"

#include <cstddef>
#include <vector>

namespace muster::binding::cores {

// Tasks that want the same CPUs. The localities of two groups may overlap.
struct Group {
  CpuSet locality;
  std::vector<std::size_t> tasks;
};

std::vector<Group> group_by_locality(const std::vector<CpuSet>& localities);

// Disjoint runs of slots, one per group, each inside its group's locality. Each group gets as many
// slots per task as fair sharing of the overlaps allows. A group first uses the slots that no other
// group wants.
std::vector<CoreSlots> divide_among_groups(const CoreSlots& slots,
                                           const std::vector<Group>& groups);

// One share per task of the group: whole cores, or threads of a core if there are more tasks than cores.
// Requires 1 <= tasks <= count_pus(slots).
std::vector<CoreSlots> divide_among_tasks(const CoreSlots& slots, std::size_t tasks);

}  // namespace muster::binding::cores
