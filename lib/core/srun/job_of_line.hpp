// The job in which srun runs the step. Pure.
#pragma once

#include "core/environment.hpp"
#include "core/slurm/allocation.hpp"
#include "core/srun/command.hpp"

#include <optional>
#include <string>

namespace muster::srun {

// The job that --jobid names, or otherwise the one in which this process runs. Empty at a prompt, where srun
// requests a job of its own.
std::string job_of_line(const Command& command, const Environment& environment);

// Whether --jobid names a job other than the one in which this process runs. Slurm's variables about the job
// then describe the wrong job or are missing, and the end of either job does not end the other.
bool joins_other_job(const Command& command, const Environment& environment);

// What is known about the line's job before Slurm has been asked: only its number if it is another job. No
// value at a prompt. Throws Error like slurm::current_allocation().
std::optional<slurm::Allocation> allocation_of_line(const Command& command,
                                                    const Environment& environment);

}  // namespace muster::srun
