// The number of threads that a task should start: OMP_NUM_THREADS.
#pragma once

#include "core/binding/cores/core_slots.hpp"

#include <cstddef>
#include <vector>

namespace muster::binding {

// For each task the number of cores among its CPUs, at least 1. A core that k tasks may use counts
// 1/k for each of them, so that tasks sharing a NUMA node do not each start a thread per core.
std::vector<std::size_t> threads_of(const cores::CoreSlots& cores, const std::vector<CpuSet>& cpus);

}  // namespace muster::binding
