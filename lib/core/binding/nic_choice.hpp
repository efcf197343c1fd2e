// The NICs that each task should talk through: those nearest to its GPUs, or to its CPUs.
#pragma once

#include "core/binding/binding.hpp"

namespace muster {

// Positions in Topology::nics: RDMA, not excluded, not known to be down. Of several equally near
// ones each task gets all, and tasks that share them begin with different ones.
std::vector<std::vector<std::size_t>> choose_nics(const Topology& topology,
                                                  const std::vector<TaskBinding>& tasks,
                                                  const std::vector<std::string>& excluded);

}  // namespace muster
