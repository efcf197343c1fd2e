// scancel of this step, where its supervisor cannot be told that a rank has failed.
#pragma once

#include "core/environment.hpp"
#include "core/file/trusted_file.hpp"

#include <chrono>
#include <string>

namespace muster::agent {

// "42.0". False where scancel failed or was not done in time; it is not waited for longer. The agent
// may outlive what Slurm ends, so it starts no program of its user's: scancel is looked for on the
// job's PATH and in the usual places, but, as SLURM_CONF, must be root's with all its directories,
// unless any owner is trusted.
bool cancel_step(const std::string& step, const Environment& environment, const file::Trust& trust,
                 std::chrono::milliseconds timeout);

}  // namespace muster::agent
