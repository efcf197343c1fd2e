#include "spank/slurmstepd.hpp"

#include "confine/confine.hpp"
#include "confine/redirect.hpp"
#include "spank/process.hpp"
#include "wire/python_path.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <utility>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::spank {
namespace {

// How long the exit of the last task waits for the agent to clean up before slurmstepd kills what is left of
// the step.
constexpr std::chrono::milliseconds shut_down_timeout{2000};

// slurmstepd changes to the job's directory before it calls user_init.
std::string working_directory() {
  std::array<char, PATH_MAX> path{};
  return getcwd(path.data(), path.size()) != nullptr ? path.data() : "/";
}

// Whether the task has its part of the directory. The agent made it, but with job_container/tmpfs or in a
// container, tasks have another /tmp: it is then created here, and disappears with that /tmp. False if the
// task cannot do without the files in it.
bool has_directory(const wire::NodePlan& plan, std::uint32_t task) {
  if (plan.directory.empty()) return true;
  mkdir(plan.directory.c_str(), S_IRWXU);
  const auto own = plan.directory + "/" + std::to_string(task);
  return (mkdir(own.c_str(), S_IRWXU) != 0 && errno == EEXIST) || !plan.has_files;
}

std::string unseen_files(const std::string& directory) {
  return "the program cannot see " + directory +
         ", which holds the variables that are too long for its environment: the program's /tmp is "
         "not the node's; set TMPDIR to a directory that the node and the program share";
}

wire::StepFacts facts(SlurmApi& slurm, const Option& option) {
  auto step = slurm.step();
  wire::StepFacts facts;
  facts.job_id = step.job_id;
  facts.step_id = step.step_id;
  facts.node_index = step.node_index;
  facts.node_count = step.node_count;
  facts.task_count = step.task_count;
  facts.global_ids = std::move(step.global_ids);
  facts.cores = std::move(step.cores);
  facts.option = option.wanted(nullptr).value_or("");
  facts.working_directory = working_directory();
  facts.arguments = std::move(step.arguments);
  facts.environment = std::move(step.environment);
  facts.slurmstepd = own_executable();
  return facts;
}

// Slurm ends a step with these two signals; there is then nothing left to do.
bool failed_by_itself(std::uint32_t wait_status) {
  const auto status = static_cast<int>(wait_status);
  const bool ended_by_slurm =
      WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM);
  return status != 0 && !ended_by_slurm;
}

}  // namespace

void Node::step_begins(const Plugstack& line) {
  first_root_.remember(line);
}

int Node::step_starts(SlurmApi& slurm, const Option& option, const Plugstack& line) {
  try {
    wanted_ = asks_for_muster(slurm, option);
    if (!wanted_) return 0;
    report_.share();
    obtain_plan(slurm, option, line);
    if (plan_) {
      for (const auto& warning : plan_->warnings) slurm.notice("muster: warning: " + warning);
    }
  } catch (...) {
    // No task may start without its plan. Nothing is allocated here, because the failure may be a lack of
    // memory.
    wanted_ = true;
    plan_.reset();
  }
  first_root_.forget();
  slurm.unset_job_variable(wire::request_variable);
  slurm.unset_job_variable(wire::step_variable);
  return 0;
}

void Node::obtain_plan(SlurmApi& slurm, const Option& option, const Plugstack& line) {
  if (!line.error.empty()) {
    refusal_ = line.error;
    return;
  }
  // This process shares slurmstepd's memory but not its descriptors: it must not shut down the agent's
  // socket.
  if (loader_ != 0 && getpid() != loader_) {
    refusal_ =
        "on this node, slurmd runs plugins in a separate process, and the node's agent would end "
        "with it; remove contain_spank from SlurmdParameters in slurm.conf";
    return;
  }
  auto step = facts(slurm, option);
  python_path_ = slurm.job_variable(wire::python_path_variable);
  step.other_root = first_root_.hides_agent(line);
  const auto user = slurm.identity();
  if (!user) {
    refusal_ =
        "Slurm does not say whose step this is, so muster cannot start anything for it; "
        "see slurmd.log";
    return;
  }
  auto why = agent_.start(line, *user, step_limits(step.environment),
                          step.other_root ? &first_root_ : nullptr);
  if (!why.empty()) {
    refusal_ = std::move(why);
    return;
  }
  tasks_running_ = step.global_ids.size();
  started_.pids.resize(tasks_running_);
  auto answer = agent_.ask(step, line.timeout);
  if (auto* plan = std::get_if<wire::NodePlan>(&answer)) {
    plan_ = std::move(*plan);
  } else {
    refusal_ = std::move(std::get<wire::Refusal>(answer).text);
  }
}

// One message for all tasks, because each message costs the agent a turn on a CPU while the tasks start.
void Node::task_forked(SlurmApi& slurm) {
  if (!plan_) return;
  auto& pids = started_.pids;
  const auto task = slurm.local_task_id();
  if (task < pids.size()) pids[task] = slurm.task_process();
  if (std::find(pids.begin(), pids.end(), 0U) == pids.end()) agent_.tell(started_);
}

int Node::task_starts(SlurmApi& slurm) {
  if (!wanted_) return 0;
  const auto task = slurm.local_task_id();
  if (!plan_ || task >= plan_->tasks.size()) {
    const auto why =
        plan_ ? "the plan has no task " + std::to_string(task)
              : refusal_.value_or(
                    "muster.so failed to plan this step on this node; is the node out of memory?");
    if (!why.empty()) report(slurm, why);
    return -1;
  }
  if (plan_->dry_run) return dry_run;
  if (!has_directory(*plan_, task)) {
    report(slurm, unseen_files(plan_->directory));
    return -1;
  }
  for (const auto& name : plan_->unset) slurm.unset_job_variable(name.c_str());
  for (const auto* const set : {&plan_->set, &plan_->tasks[task].set}) {
    for (const auto& variable : *set) {
      if (set_variable(slurm, variable)) continue;
      slurm.error("muster: cannot set " + variable.name + " for task " + std::to_string(task));
      return -1;
    }
  }
  return confine(slurm, task);
}

// Since the plan was made, a container's plugin may have taken the task into an image, which may have a
// PYTHONPATH of its own, but not the start hook.
bool Node::set_variable(SlurmApi& slurm, const wire::Assignment& variable) {
  const auto& [name, value] = variable;
  const bool is_path = name == wire::python_path_variable;
  if (plan_->start_hook.empty() || (!is_path && name != wire::rank_directory_variable))
    return slurm.set_job_variable(name, value);
  const bool sees_hook = access(plan_->start_hook.c_str(), R_OK | X_OK) == 0;
  if (!is_path) return !sees_hook || slurm.set_job_variable(name, value);
  const auto path =
      wire::python_path_of_task(value, {.directory = plan_->start_hook,
                                        .sees_hook = sees_hook,
                                        .before = python_path_,
                                        .now = slurm.job_variable(wire::python_path_variable)});
  if (path) return slurm.set_job_variable(name, *path);
  slurm.unset_job_variable(name.c_str());
  return true;
}

// Any task may be the first to fail, and its exit ends the others.
void Node::report(SlurmApi& slurm, const std::string& why) {
  const auto write = [&] { slurm.error("muster: " + why); };
  if (!report_.run(write) && slurm.local_task_id() == 0) write();
}

int Node::confine(SlurmApi& slurm, std::uint32_t task) {
  const auto& plan = plan_->tasks[task];
  const auto done = confine::confine(plan);
  const std::string begin = done.may_start ? "muster: warning: " : "muster: error: ";
  for (const auto& remark : done.remarks) slurm.notice(begin + plan.who + ": " + remark);
  if (!done.bound) agent_.tell(wire::TaskUnbound{task});
  if (!done.may_start) return -1;
  // Done last, because anything said before this goes to srun.
  const auto why = confine::redirect_output(plan);
  if (!why.empty()) report(slurm, plan.who + " " + why);
  return why.empty() ? 0 : -1;
}

int Node::task_ended(SlurmApi& slurm, const Option& option, const Plugstack& line) {
  if (!plan_) return 0;
  const auto status = slurm.task_wait_status();
  const bool told = agent_.tell(wire::TaskExit{slurm.local_task_id(), status});
  if (!told && plan_->ends_by_failure && failed_by_itself(status)) {
    end_step_without_agent(slurm, option, line);
  }
  if (tasks_running_ > 0 && --tasks_running_ == 0) agent_.shut_down(shut_down_timeout);
  return 0;
}

// srun was told to leave this to muster; without muster the other ranks would wait forever. The second agent
// starts only scancel, and only root's, so nothing of the user's can remain in its place.
void Node::end_step_without_agent(SlurmApi& slurm, const Option& option, const Plugstack& line) {
  if (second_agent_) return;
  second_agent_ = true;
  auto step = facts(slurm, option);
  step.agent_lost = true;
  const auto user = slurm.identity();
  agent_.disconnect();
  if (!user || !agent_.start(line, *user, step_limits(step.environment), nullptr).empty()) return;
  agent_.order(step);
}

// Starts no agent, whatever happened to the first one: Slurm has sent its last SIGKILL to the job. The user's
// next agent on this node removes what a killed one left behind.
void Node::step_ended() {
  if (plan_ && tasks_running_ > 0) agent_.shut_down(shut_down_timeout);
  agent_.disconnect();
}

}  // namespace muster::spank
