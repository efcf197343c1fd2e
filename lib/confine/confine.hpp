// Confines the calling task to its part of the node: first its CPUs, then its memory. The shim does
// so in task_init, and `muster exec` does so in the task itself. System calls only, no libnuma.
//
// A task never silently gets more than the plan gave it: whatever the kernel refuses is reported.
#pragma once

#include "wire/messages.hpp"

#include <string>
#include <vector>

namespace muster::confine {

struct Confined {
  std::vector<std::string> remarks;  // the request and the result, one line for each difference
  bool bound = true;                 // the task is on the planned CPUs, or fewer of them
  bool may_start = true;             // false if the user insists on what the kernel refused
};

Confined confine(const wire::TaskPlan& task);

// "0-3,8" for a mask, as the kernel writes lists.
std::string list_text(const std::vector<std::uint64_t>& mask);

}  // namespace muster::confine
