// Starts a step's ranks on this machine, and stays until they and all their descendants have ended: does what
// srun and slurmstepd do under Slurm. The agent is the same.
#pragma once

#include "launcher/tools/local/step.hpp"

namespace muster::local {

// Runs in its own process, a child of the supervisor: SIGTERM, SIGINT, SIGHUP and SIGQUIT end everything
// immediately, and other signals are passed to the ranks. Returns the highest exit code of any rank, as srun
// does.
int start_ranks(const Step& step);

}  // namespace muster::local
