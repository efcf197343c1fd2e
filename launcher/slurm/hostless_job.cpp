#include "launcher/slurm/hostless_job.hpp"

#include "core/restart/succession.hpp"
#include "core/slurm/scontrol_output.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/slurm/allocation.hpp"
#include "launcher/slurm/job_facts.hpp"
#include "launcher/slurm/node_states.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::slurm {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds time_to_try{2000};

std::string scontrol(const std::vector<std::string>& words, milliseconds timeout) {
  std::vector<std::string> command{"scontrol", "--all", "--oneliner"};
  command.insert(command.end(), words.begin(), words.end());
  return os::run_command(command, {.timeout = timeout, .max_bytes = max_job_bytes}).output;
}

std::vector<ShownStep> ask_steps(const std::string& job, const std::string& task,
                                 milliseconds timeout) {
  return steps_of_job(scontrol({"show", "step", job}, timeout), job, task);
}

void add_steps(restart::HostlessJob& job, std::vector<ShownStep> steps) {
  for (auto& step : steps) {
    job.steps.insert(std::move(step.id));
    const auto generation = restart::successor_generation(step.name);
    if (generation) job.successor = std::max(job.successor.value_or(0), *generation);
  }
}

bool is_lost(const std::string& host, milliseconds timeout) {
  if (host.empty()) return false;
  for (const auto& state : ask_node_states(std::vector{host}, timeout)) {
    if (state.name == host) return state.down || state.not_responding;
  }
  return false;
}

}  // namespace

std::optional<FoundJob> ask_hostless_job(const std::string& job, const std::string& host,
                                         milliseconds timeout) {
  const auto shown = scontrol({"show", "job", job}, timeout);
  const auto line = job_line(shown, job);
  const auto facts = job_facts(line);
  const auto allocation = allocation_of(line);
  if (!facts) return std::nullopt;
  FoundJob found{.job = {.now = facts->now,
                         .batch_host = allocation ? allocation->batch_host : "",
                         .may_requeue = facts->may_requeue,
                         .host_lost = is_lost(host, timeout),
                         .steps = {}},
                 .name = facts->name,
                 .output_file = std::string(field(line, "StdOut")),
                 .error_file = std::string(field(line, "StdErr"))};
  add_steps(found.job, ask_steps(job, found.name, timeout));
  return found;
}

std::string ask_task_name(const std::string& job) {
  const auto shown = scontrol({"show", "job", job}, time_to_find_job);
  const auto name = task_name(job_line(shown, job));
  return name.empty() ? job : name;
}

std::vector<std::string> running_steps(const std::string& job, const std::string& task) {
  std::vector<std::string> ids;
  for (auto& step : ask_steps(job, task, time_to_find_job)) ids.push_back(std::move(step.id));
  return ids;
}

void have_host_tried(const std::string& name, const std::string& step) {
  const std::vector<std::string> command{"scancel", "--quiet", step.empty() ? "--batch" : "--ctld",
                                         "--signal=URG", step.empty() ? name : step};
  os::run_command(command, {.timeout = time_to_try});
}

}  // namespace muster::slurm
