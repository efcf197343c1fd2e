// OpenMP's settings for a task's CPUs, except the number of threads.
#pragma once

#include "core/resources/task_resources.hpp"

#include <string>
#include <vector>

namespace muster::resources {

// Empty if muster did not choose the task's CPUs, because it then does not know them.
struct OpenmpBinding {
  std::string places;     // OMP_PLACES
  std::string proc_bind;  // OMP_PROC_BIND

  friend bool operator==(const OpenmpBinding&, const OpenmpBinding&) = default;
};

// Indexed by local task ID. Threads get fixed cores only if no other task has the same CPUs: otherwise both
// tasks would start at the first core.
std::vector<OpenmpBinding> openmp_bindings(const std::vector<TaskResources>& tasks);

}  // namespace muster::resources
