// The CPUs of a task, as srun's command line and its job's environment have them.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"

#include <optional>
#include <string>

namespace muster::srun {

// An option of the srun says how many CPUs a task gets.
bool chose_cpus(const Command& command);

// The step is one of several in its job: the job's other CPUs are for the others.
bool shares_job(const Command& command);

// --cpus-per-task of sbatch or salloc, for a step that has the shape of its job. srun of 22.05 to
// 23.02 takes it from SRUN_CPUS_PER_TASK only, and newer releases from the job. Nothing for a step
// of another shape: its tasks might not fit.
std::optional<std::string> inherited_cpus_per_task(const Environment& environment,
                                                   const Command& command);

}  // namespace muster::srun
