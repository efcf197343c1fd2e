#include "core/srun/cpus_per_task.hpp"

#include "core/slurm/own_step.hpp"
#include "core/slurm/releases.hpp"
#include "core/srun/het_step.hpp"
#include "core/srun/job_of_line.hpp"
#include "core/srun/line.hpp"
#include "core/text/number.hpp"

namespace muster::srun {
namespace {

// Options with which a step's tasks may need different nodes from those that the job has for them.
bool shapes_step(const Line& line) {
  return line.has_any({"nodes", "nodelist", "exclude", "relative", "nodefile", "distribution",
                       "ntasks-per-core", "ntasks-per-gpu", "ntasks-per-node", "ntasks-per-socket",
                       "ntasks-per-tres", "het-group"});
}

// The job has room for its own number of tasks, or for one on each node. A text that is not a number counts
// as too many.
bool fits_job(const Environment& environment, const Line& line) {
  const auto* const wanted = line.last("ntasks");
  if (wanted == nullptr) return true;
  auto tasks = text::number<unsigned>(environment.get("SLURM_NTASKS"));
  if (!tasks) tasks = text::number<unsigned>(environment.get("SLURM_JOB_NUM_NODES"));
  const auto count = text::number<unsigned>(wanted->value.value_or(""));
  return count && tasks && *count <= *tasks;
}

// Whatever a task starts or submits inherits its variables. In a batch script, Slurm replaces the value with
// the job's own, which is 1 if the job has none.
bool may_be_another_steps(const Environment& environment, const std::string& cpus) {
  if (!environment.contains("SLURM_STEP_NODELIST")) return false;
  return slurm::is_task(environment) || (slurm::is_batch_script(environment) && cpus == "1");
}

}  // namespace

bool chose_cpus(const Command& command) {
  return read_step(command).has_any({"cpus-per-task", "cpus-per-gpu", "tres-per-task",
                                     "extra-node-info", "cores-per-socket", "threads-per-core",
                                     "overcommit"});
}

bool shares_job(const Command& command) {
  return read_step(command).has_any({"exact", "exclusive", "overlap"});
}

std::optional<std::string> inherited_cpus_per_task(const Environment& environment,
                                                   const Command& command) {
  const auto* const cpus = environment.if_set("SLURM_CPUS_PER_TASK");
  if (cpus == nullptr || !environment.contains("SLURM_JOB_ID") ||
      joins_other_job(command, environment) || environment.contains("SRUN_CPUS_PER_TASK") ||
      environment.contains("SLURM_HOSTFILE") || may_be_another_steps(environment, *cpus)) {
    return std::nullopt;
  }
  const auto line = read_line(command);
  if (command.program == 0 || heterogeneous(command) || chose_cpus(command) || shapes_step(line) ||
      !fits_job(environment, line)) {
    return std::nullopt;
  }
  return *cpus;
}

}  // namespace muster::srun
