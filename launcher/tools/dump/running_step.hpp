// Determines of which step, in Slurm's terms, a dump is taken.
#pragma once

#include "core/slurm/squeue.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::dump {

// One component's share of a step of a heterogeneous job: Slurm has a separate job for each component, of
// which the first is the leader.
struct Component {
  std::string step;          // "43.0"
  std::uint32_t offset = 0;  // within the job
  std::vector<std::string> nodes = {};

  friend bool operator==(const Component&, const Component&) = default;
};

struct RunningStep {
  std::string name;  // "42.0"; in a heterogeneous job, the leader's
  std::string user;
  std::vector<std::string> nodes = {};
  std::uint32_t tasks = 0;
  std::vector<Component> components = {};  // only in a heterogeneous job
  bool without_slurm = false;              // a run of `muster run` on this machine
  std::string array_task = {};             // "49_2" in a job array, as squeue shows its steps

  [[nodiscard]] std::string job() const { return name.substr(0, name.find('.')); }
};

// Renames steps of job arrays by their tasks' own job numbers, and leaves out steps of unknown tasks.
std::vector<RunningStep> with_job_numbers(std::vector<RunningStep> steps,
                                          const std::vector<slurm::ArrayTask>& tasks);

// Asks about that job, or about all of the user's jobs if it is empty.
std::vector<std::string> het_jobs_command(const std::string& job);

// Parses the output of squeue_command(). Leaves out steps that no srun started ("42.batch"), and muster's
// own.
std::vector<RunningStep> running_steps(std::string_view output);

// Likewise, the output of `scontrol --oneliner show step JOB`. `user` is still a number.
std::vector<RunningStep> managed_steps(std::string_view output);

// Asks which of these jobs are running, or which of the user's.
std::vector<std::string> running_jobs_command(const std::string& jobs);

// The jobs in its output, or tasks of arrays, that are running and of which `steps` has no step. Either they
// really have none, or they have a step manager (enable_stepmgr): then squeue does not show what srun has
// started.
std::vector<std::string> jobs_without_steps(std::string_view listed,
                                            const std::vector<RunningStep>& steps);

// Joins the lines of one step: those of components inside one job, and those of a heterogeneous job.
std::vector<RunningStep> merged(const std::vector<RunningStep>& lines,
                                const std::vector<slurm::HetJob>& jobs);

// Asks about these jobs, separated by commas, or about all jobs that the user may see if there are none.
std::vector<std::string> squeue_command(const std::string& jobs);

// The one of `steps` that `name` means: "42.0", "42" or ""; for a heterogeneous job 42 also "43", "43.0",
// "42+1" and "42+1.0"; for a job array 49 also "49_2", "49_2.0" and "49". Throws an Error of one line if
// there is none, if there are several, or if it belongs to another user.
RunningStep chosen_step(const std::vector<RunningStep>& steps, const std::string& name,
                        const std::string& user);

// A step of this process's user: a run of `muster run` on this machine, if the name means one; otherwise one
// that Slurm knows. Throws Error if Slurm does not answer.
RunningStep find_step(const std::string& name, std::chrono::milliseconds timeout);

}  // namespace muster::dump
