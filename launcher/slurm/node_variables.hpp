// Slurm's variables that say which nodes the job has. Slurm sets them once, when the job begins. Pure.
#pragma once

#include "launcher/slurm/srun_environment.hpp"

#include <span>
#include <string>

namespace muster::slurm {

// The values for a job that has these nodes now. srun believes its variables, not slurmctld: it refuses a
// node that joined the job later.
EnvironmentChange node_variables(std::span<const std::string> nodes);

}  // namespace muster::slurm
