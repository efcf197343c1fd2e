// What OpenMP is told about a task's CPUs, beside how many threads to start.
#pragma once

#include "core/resources/task_resources.hpp"

#include <string>
#include <vector>

namespace muster::resources {

// Empty where muster did not choose the task's CPUs: then nothing is known of them.
struct OpenmpBinding {
  std::string places;     // OMP_PLACES
  std::string proc_bind;  // OMP_PROC_BIND

  friend bool operator==(const OpenmpBinding&, const OpenmpBinding&) = default;
};

// By local task id. Threads stay on cores of their own only where the task has its CPUs for
// itself: two tasks with the same CPUs would both begin at the first core.
std::vector<OpenmpBinding> openmp_bindings(const std::vector<TaskResources>& tasks);

}  // namespace muster::resources
