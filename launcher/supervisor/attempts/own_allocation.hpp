// The allocation of an srun at a prompt ends with its step. If other attempts may follow, salloc makes the
// allocation, and starts this supervisor again inside it.
#pragma once

#include "core/environment.hpp"
#include "core/request/request.hpp"
#include "core/srun/command.hpp"

namespace muster::attempts {

// Something was asked for that needs an allocation beyond one step, and there is none yet.
bool needs_allocation(const request::Request& request, const srun::Command& command,
                      const Environment& environment);

// Runs this supervisor under salloc until it ends, and returns the exit code for this process. Throws Error,
// one line, if there can be no such allocation.
int run_in_own_allocation(const request::Request& request, const srun::Command& command,
                          const Environment& environment);

// This is the supervisor in it. The one outside has said what there is to say about the command. Whatever
// ended its step, this process must end with an exit code: salloc turns a signal into 0 or 1.
bool is_in_own_allocation(const Environment& environment);

// Removes the sign of it from this process's environment: the step's tasks need not know.
void forget_own_allocation();

}  // namespace muster::attempts
