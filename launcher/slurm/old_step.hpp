// After its srun has ended, a step may still hold its cores. The nodes report their end through the first
// node's slurmd. If that slurmd has died, their slurmstepd processes retry for a minute.
#pragma once

#include <chrono>
#include <string>

namespace muster::slurm {

// Waits up to `timeout` until slurmctld no longer knows the step, such as "42.0". False if slurmctld has
// forgotten it, or does not answer.
bool step_remains(const std::string& step, std::chrono::milliseconds timeout);

}  // namespace muster::slurm
