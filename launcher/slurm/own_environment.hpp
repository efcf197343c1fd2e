// This process's environment, without the step number that a batch script may inherit from another job.
#pragma once

#include "core/environment.hpp"

#include <filesystem>

namespace muster::slurm {

// If a task of a step submits a job, sbatch passes on the task's SLURM_STEP_ID. Before Slurm 26.05, nothing
// replaces it in the job's batch script, which then looks like a task.
Environment own_environment();

// Removes SLURM_STEP_ID if the parent of SLURM_TASK_PID, which Slurm sets for a script as well, is the
// slurmstepd of this job's script. Leaves it alone if `proc` does not show that slurmstepd (hidepid=2).
Environment without_step_of_another_job(Environment environment, const std::filesystem::path& proc);

}  // namespace muster::slurm
