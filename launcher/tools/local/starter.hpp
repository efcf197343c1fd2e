// Starts a step's ranks on this machine, and stays until they and all that they have started have ended: what
// srun and slurmstepd do under Slurm. The agent is the same.
#pragma once

#include "launcher/tools/local/step.hpp"

namespace muster::local {

// In a process of its own, a child of the supervisor: SIGTERM, SIGINT, SIGHUP and SIGQUIT end all at
// once, other signals are the ranks'. Returns the highest exit code of a rank, as srun does.
int start_ranks(const Step& step);

}  // namespace muster::local
