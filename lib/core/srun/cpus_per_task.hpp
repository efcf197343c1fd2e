// The CPUs per task, as set by srun's command line and the job's environment.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"

#include <optional>
#include <string>

namespace muster::srun {

// Whether an option of this srun sets the number of CPUs per task.
bool chose_cpus(const Command& command);

// Whether the step is one of several in its job: the job's other CPUs are for the other steps.
bool shares_job(const Command& command);

// --cpus-per-task of sbatch or salloc, for a step that has the shape of its job. srun 22.05 to 23.02 takes it
// only from SRUN_CPUS_PER_TASK, newer releases from the job. No value for a step of another shape, whose
// tasks might not fit, and none if SLURM_CPUS_PER_TASK may come from a task that has started this srun or
// submitted its job.
std::optional<std::string> inherited_cpus_per_task(const Environment& environment,
                                                   const Command& command);

}  // namespace muster::srun
