// The limits of a step's tasks (ulimit), which srun sends from the submit host. The agent runs under them
// rather than under slurmd's limits.
#pragma once

#include <string>
#include <vector>

#include <sys/resource.h>

namespace muster::spank {

struct StepLimit {
  int resource = 0;
  rlim_t soft = 0;
};

// Read from the step's environment (SLURM_RLIMIT_*), as slurmstepd does for the tasks.
std::vector<StepLimit> step_limits(const std::vector<std::string>& environment);

// Sets them for the calling process; a value above the hard limit becomes the hard limit. System
// calls only.
void take_limits(const std::vector<StepLimit>& limits);

}  // namespace muster::spank
