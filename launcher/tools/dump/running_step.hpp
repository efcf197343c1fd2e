// Which step a dump is of, as Slurm knows it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::dump {

// A heterogeneous job's share of a step: Slurm has a job for each, of which the first is the leader.
struct Component {
  std::string step;          // "43.0"
  std::uint32_t offset = 0;  // in the job
  std::vector<std::string> nodes = {};

  friend bool operator==(const Component&, const Component&) = default;
};

struct RunningStep {
  std::string name;  // "42.0"; of a heterogeneous job the leader's
  std::string user;
  std::vector<std::string> nodes = {};
  std::uint32_t tasks = 0;
  std::vector<Component> components = {};  // of a heterogeneous job only
  bool without_slurm = false;              // muster run's, on this machine
  std::string array_task = {};             // "49_2", of a job array: squeue shows its steps so

  [[nodiscard]] std::string job() const { return name.substr(0, name.find('.')); }
};

// A component's own job.
struct HetJob {
  std::string leader;
  std::uint32_t offset = 0;
  std::string job;

  friend bool operator==(const HetJob&, const HetJob&) = default;
};

// A task of a job array has a job number of its own, which its ranks know it by.
struct ArrayTask {
  std::string name;  // "49_2"
  std::string job;

  friend bool operator==(const ArrayTask&, const ArrayTask&) = default;
};

// The lines of het_jobs_command(): of job arrays only.
std::vector<ArrayTask> array_tasks(std::string_view output);

// Steps of a job array by their tasks' own job numbers; one of an unknown task is left out.
std::vector<RunningStep> with_job_numbers(std::vector<RunningStep> steps,
                                          const std::vector<ArrayTask>& tasks);

// The lines of het_jobs_command(): of heterogeneous jobs only.
std::vector<HetJob> het_jobs(std::string_view output);

// Of the job; of all jobs of the user where it is empty.
std::vector<std::string> het_jobs_command(const std::string& job);

// The lines of squeue_command(). Steps that are no user's srun ("42.batch") and muster's own are left out.
std::vector<RunningStep> running_steps(std::string_view output);

// The lines of one step as one: of components inside one job, and of a heterogeneous job's.
std::vector<RunningStep> merged(const std::vector<RunningStep>& lines,
                                const std::vector<HetJob>& jobs);

// Of the jobs, separated by commas; of all jobs that the user may see where there is none.
std::vector<std::string> squeue_command(const std::string& jobs);

// The one of `steps` that `name` means: "42.0", "42", "", or of a heterogeneous job 42 "43", "43.0",
// "42+1" and "42+1.0", too; of a job array 49 also "49_2", "49_2.0" and "49". Throws Error, in one line,
// where there is none, where there are several, and where it is another user's.
RunningStep chosen_step(const std::vector<RunningStep>& steps, const std::string& name,
                        const std::string& user);

// One of this process's user: of muster run here, if the name means one, else of Slurm, which is
// asked. Throws Error where it does not answer.
RunningStep find_step(const std::string& name, std::chrono::milliseconds timeout);

}  // namespace muster::dump
