// Runs scancel on this step if an agent cannot tell the supervisor that a rank has failed.
#pragma once

#include "core/environment.hpp"
#include "launcher/agent/slurm_command.hpp"

#include <chrono>
#include <string>

namespace muster::agent {

// `step` is like "42.0". Returns false if scancel failed or did not finish in time; a late scancel is not
// waited for.
bool cancel_step(const std::string& step, const Environment& environment, const SlurmOwners& owners,
                 std::chrono::milliseconds timeout);

}  // namespace muster::agent
