// What of srun cannot go with logs=.
#pragma once

#include "core/environment.hpp"
#include "core/request/request.hpp"
#include "launcher/supervise/srun_command.hpp"

namespace muster::supervise {

// Throws Error where srun's own options, or its variables, send the output elsewhere, and where logs=
// itself is wrong: before anything is allocated.
void check_logs(const request::Request& request, const SrunCommand& command,
                const Environment& environment);

}  // namespace muster::supervise
