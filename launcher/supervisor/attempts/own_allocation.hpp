// An allocation made by an srun at a prompt ends with its step. If other attempts may follow, salloc makes
// the allocation instead, and starts this supervisor again inside it.
#pragma once

#include "core/environment.hpp"
#include "core/request/request.hpp"
#include "core/srun/command.hpp"

namespace muster::attempts {

// Whether something was requested that needs an allocation beyond one step, and there is none yet.
bool needs_allocation(const request::Request& request, const srun::Command& command,
                      const Environment& environment);

// Runs this supervisor under salloc until it ends, and returns the exit code for this process. Throws an
// Error of one line if there can be no such allocation.
int run_in_own_allocation(const request::Request& request, const srun::Command& command,
                          const Environment& environment);

// Whether this is the supervisor inside it. The one outside has already made all remarks about the command.
// Whatever ended its step, this process must end with an exit code, because salloc turns a signal into 0 or
// 1.
bool is_in_own_allocation(const Environment& environment);

// Removes the marker variable from this process's environment: the step's tasks need not see it.
void forget_own_allocation();

}  // namespace muster::attempts
