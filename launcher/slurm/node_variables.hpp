// Slurm's variables that say which nodes the job has. They are of the job's beginning. Pure.
#pragma once

#include "launcher/slurm/srun_environment.hpp"

#include <span>
#include <string>

namespace muster::slurm {

// For a job that has these nodes now. srun believes its variables, and not slurmctld: it refuses a node
// that has come to the job since.
EnvironmentChange node_variables(std::span<const std::string> nodes);

}  // namespace muster::slurm
