// The shim inside slurmstepd: one agent and one plan per node and step.
#pragma once

#include "spank/agent.hpp"
#include "spank/option.hpp"
#include "spank/plugstack.hpp"
#include "spank/slurm_api.hpp"
#include "spank/task_once.hpp"
#include "wire/variables.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>
#include <unistd.h>

namespace muster::spank {

// Whether the step of this slurmstepd asks for muster. Inline and close to the hooks, because it is all
// that other steps pay for.
inline bool asks_for_muster(SlurmApi& slurm, const Option& option) noexcept {
  // Batch, interactive, extern and other special steps have IDs from this value up (slurm.h).
  constexpr std::uint32_t first_special_step = 0xffff'fff0;
  if (slurm.step_id() >= first_special_step) return false;
  return (option.given() && !option.is_off()) || slurm.has_job_variable(wire::request_variable);
}

class Node {
 public:
  // Called in init: what the plugin opens belongs to this process.
  void loaded() { loader_ = getpid(); }

  // Called in init of a step that asks for muster, before any plugin can have changed what slurmstepd sees.
  void step_begins(const Plugstack& line);

  // Called in user_init of a step that asks for muster: from here on no task starts without a plan,
  // whatever fails.
  void promise_plan() { wanted_ = true; }

  // user_init. Always returns 0: Slurm ignores errors of this hook (srun would exit with 0). The reason is
  // stored, and task_init fails with it.
  int step_starts(SlurmApi& slurm, const Option& option, const Plugstack& line);

  // From user_init on: either the step has a plan, or no task starts.
  [[nodiscard]] bool used() const { return wanted_; }

  // Called in task_post_fork, before the task's process continues.
  void task_forked(SlurmApi& slurm);

  // Called in task_init, in the task's own process. Returns -1 if the task must not run, and `dry_run` if it
  // should exit successfully without running.
  static constexpr int dry_run = 1;
  int task_starts(SlurmApi& slurm);

  // task_exit.
  int task_ended(SlurmApi& slurm, const Option& option, const Plugstack& line);

  // exit.
  void step_ended();

 private:
  void report(SlurmApi& slurm, const std::string& why);
  bool set_variable(SlurmApi& slurm, const wire::Assignment& variable);
  int confine(SlurmApi& slurm, std::uint32_t task);
  void end_step_without_agent(SlurmApi& slurm, const Option& option, const Plugstack& line);
  void obtain_plan(SlurmApi& slurm, const Option& option, const Plugstack& line);

  pid_t loader_ = 0;  // the process in which init ran
  FirstRoot first_root_;
  Agent agent_;
  bool wanted_ = false;
  std::optional<wire::NodePlan> plan_;
  std::optional<std::string> python_path_;  // the job's, from which the plan was made
  // Why there is no plan; empty if another node has reported the reason.
  std::optional<std::string> refusal_;
  TaskOnce report_;  // reports once why no task on this node starts
  wire::TasksStarted started_;
  std::size_t tasks_running_ = 0;
  bool second_agent_ = false;  // has been started
};

}  // namespace muster::spank
