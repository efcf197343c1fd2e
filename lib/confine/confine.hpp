// Confines the calling task to its part of the node: its CPUs first, then its memory. The shim does
// so in task_init and `muster exec` in the task itself. System calls only, no libnuma.
//
// A task is never given more than was planned without a word: what the kernel refuses is told.
#pragma once

#include "wire/messages.hpp"

#include <string>
#include <vector>

namespace muster::confine {

struct Confined {
  std::vector<std::string> remarks;  // what was asked and what there is instead, one line each
  bool bound = true;                 // on the planned CPUs, or fewer of them
  bool may_start = true;             // false where the user has insisted on what was refused
};

Confined confine(const wire::TaskPlan& task);

// "0-3,8" for a mask, as the kernel writes lists.
std::string list_text(const std::vector<std::uint64_t>& mask);

}  // namespace muster::confine
