// How many threads a task should start: OMP_NUM_THREADS.
#pragma once

#include "core/binding/cores/core_slots.hpp"

#include <cstddef>
#include <vector>

namespace muster::binding {

// Per task the number of cores among its CPUs. A core that k tasks may use counts 1/k for each,
// so that tasks which share a NUMA node do not start a thread per core each. At least 1.
std::vector<std::size_t> threads_of(const cores::CoreSlots& cores, const std::vector<CpuSet>& cpus);

}  // namespace muster::binding
