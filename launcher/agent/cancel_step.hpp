// scancel of this step, where its supervisor cannot be told that a rank has failed.
#pragma once

#include "core/environment.hpp"

#include <chrono>
#include <string>

namespace muster::agent {

// "42.0". The job's environment: Slurm's programs and their slurm.conf are found as the user finds
// them. False where scancel failed or was not done in time; it is not waited for longer.
bool cancel_step(const std::string& step, const Environment& environment,
                 std::chrono::milliseconds timeout);

}  // namespace muster::agent
