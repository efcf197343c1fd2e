// An srun at a prompt has an allocation that ends with its step. Where other attempts may follow,
// salloc makes the allocation, and starts this supervisor in it once more.
#pragma once

#include "core/environment.hpp"
#include "core/request/request.hpp"
#include "launcher/supervise/srun_command.hpp"

namespace muster::attempts {

// Something was asked for that outlives a step, and there is no allocation yet.
bool needs_allocation(const request::Request& request, const supervise::SrunCommand& command,
                      const Environment& environment);

// Replaces this process. Throws Error, one line, if it cannot.
[[noreturn]] void become_salloc(const request::Request& request,
                                const supervise::SrunCommand& command,
                                const Environment& environment);

}  // namespace muster::attempts
