// A step whose srun has ended may still hold its cores. The nodes report their end through the first node's
// slurmd. If that has died, their slurmstepd retries for a minute.
#pragma once

#include <chrono>
#include <string>

namespace muster::slurm {

// Waits up to `timeout` until slurmctld no longer knows the step, "42.0". False if it has forgotten it, or
// does not answer.
bool step_remains(const std::string& step, std::chrono::milliseconds timeout);

}  // namespace muster::slurm
