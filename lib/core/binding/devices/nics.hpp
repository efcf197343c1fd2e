// The NICs that each task should talk through: those nearest to its GPUs, or to its CPUs.
#pragma once

#include "core/binding/binding.hpp"

namespace muster {

// Of `nics`, positions in Topology::nics, all that are equally near to a task; tasks that share
// them begin with different ones.
std::vector<std::vector<std::size_t>> choose_nics(const Topology& topology,
                                                  const std::vector<TaskBinding>& tasks,
                                                  const std::vector<std::size_t>& nics);

}  // namespace muster
