// An srun at a prompt has an allocation that ends with its step. Where other attempts may follow,
// salloc makes the allocation, and starts this supervisor in it once more.
#pragma once

#include "core/environment.hpp"
#include "core/request/request.hpp"
#include "core/srun/command.hpp"

namespace muster::attempts {

// Something was asked for that outlives a step, and there is no allocation yet.
bool needs_allocation(const request::Request& request, const srun::Command& command,
                      const Environment& environment);

// Runs salloc with this supervisor in it to its end, and returns the exit code for this process. Throws
// Error, one line, if there is no such allocation.
int run_in_own_allocation(const request::Request& request, const srun::Command& command,
                          const Environment& environment);

// This is the supervisor in it, and the one outside has said what there is to say of the command.
bool is_in_own_allocation(const Environment& environment);

// The same. Whatever ended its step, it must end with an exit code: of a command
// that a signal ended salloc says 0 or 1. Forgets it: the step's tasks need not know.
bool take_own_allocation();

}  // namespace muster::attempts
