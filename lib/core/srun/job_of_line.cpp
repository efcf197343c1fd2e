#include "core/srun/job_of_line.hpp"

#include "core/srun/line.hpp"

namespace muster::srun {

std::string job_of_line(const Command& command, const Environment& environment) {
  return setting(read_step(command), environment, "jobid").value_or("");
}

bool joins_other_job(const Command& command, const Environment& environment) {
  const auto job = job_of_line(command, environment);
  return !job.empty() && job != environment.get("SLURM_JOB_ID");
}

std::optional<slurm::Allocation> allocation_of_line(const Command& command,
                                                    const Environment& environment) {
  if (!joins_other_job(command, environment)) return slurm::current_allocation(environment);
  slurm::Allocation allocation;
  allocation.job = job_of_line(command, environment);
  return allocation;
}

}  // namespace muster::srun
