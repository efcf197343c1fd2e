#include "launcher/tools/dump/running_step.hpp"

#include "core/error.hpp"
#include "core/slurm/fields.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/os/host_name.hpp"
#include "launcher/tools/dump/step_processes.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

namespace muster::dump {
namespace {

constexpr std::size_t max_named = 4;

using std::chrono::milliseconds;

bool is_step(std::string_view name) {
  const auto dot = name.find('.');
  return dot != std::string_view::npos && slurm::is_job_name(name.substr(0, dot)) &&
         text::number<std::uint32_t>(name.substr(dot + 1));
}

std::string number_in_job(std::string_view step) {
  return std::string(step.substr(step.find('.') + 1));
}

bool is_meant(const Component& component, const RunningStep& step, const std::string& name) {
  const auto job = component.step.substr(0, component.step.find('.'));
  const auto as_offset = fmt::format("{}+{}", step.job(), component.offset);
  return component.step == name || job == name || as_offset == name ||
         fmt::format("{}.{}", as_offset, number_in_job(step.name)) == name;
}

// The name that squeue shows and users type.
std::string shown_name(const RunningStep& step) {
  return step.array_task.empty() ? step.name
                                 : fmt::format("{}.{}", step.array_task, number_in_job(step.name));
}

bool is_meant_task(const RunningStep& step, const std::string& name) {
  const auto& task = step.array_task;
  return !task.empty() &&
         (task == name || shown_name(step) == name || task.substr(0, task.find('_')) == name);
}

bool is_meant(const RunningStep& step, const std::string& name) {
  return name.empty() || is_meant_task(step, name) || step.name == name || step.job() == name ||
         std::ranges::any_of(step.components,
                             [&](const auto& part) { return is_meant(part, step, name); });
}

// The leader's step, with this line as one of its components.
RunningStep as_component(RunningStep line, const std::vector<slurm::HetJob>& jobs) {
  const auto job = std::ranges::find(jobs, line.job(), &slurm::HetJob::job);
  if (job == jobs.end()) return line;
  line.components.push_back({line.name, job->offset, line.nodes});
  line.name = fmt::format("{}.{}", job->leader, number_in_job(line.name));
  return line;
}

std::string names_of(const std::vector<RunningStep>& steps) {
  std::vector<std::string> names;
  for (const auto& step : steps) names.push_back(shown_name(step));
  if (names.size() > max_named) {
    names.resize(max_named);
    names.emplace_back("...");
  }
  return text::join(names, ", ");
}

}  // namespace

std::vector<RunningStep> with_job_numbers(std::vector<RunningStep> steps,
                                          const std::vector<slurm::ArrayTask>& tasks) {
  std::erase_if(steps, [&](RunningStep& step) {
    if (step.name.find('_') == std::string::npos) return false;
    const auto task = std::ranges::find(tasks, step.job(), &slurm::ArrayTask::name);
    if (task == tasks.end()) return true;
    step.array_task = task->name;
    step.name = fmt::format("{}.{}", task->job, number_in_job(step.name));
    return false;
  });
  return steps;
}

std::vector<std::string> het_jobs_command(const std::string& job) {
  return {"squeue", "--noheader", "--format=%i|%A", job.empty() ? "--me" : "--jobs=" + job};
}

std::vector<std::string> running_jobs_command(const std::string& jobs) {
  return {"squeue", "--noheader", "--format=%i|%A|%t", jobs.empty() ? "--me" : "--jobs=" + jobs};
}

std::vector<RunningStep> running_steps(std::string_view output) {
  std::vector<RunningStep> steps;
  for (const auto line : text::split(output, '\n')) {
    const auto fields = text::split(line, '|');
    if (fields.size() < 5 || !is_step(fields[0]) || fields[4].starts_with("muster-")) continue;
    try {
      steps.push_back({.name = std::string(fields[0]),
                       .user = std::string(fields[1]),
                       .nodes = slurm::expand_hostlist(fields[2]),
                       .tasks = text::number<std::uint32_t>(fields[3]).value_or(0)});
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): a step without nodes has no ranks
    }
  }
  return steps;
}

std::vector<RunningStep> managed_steps(std::string_view output) {
  std::vector<RunningStep> steps;
  for (const auto line : text::split(slurm::whole_lines(output), '\n')) {
    const auto name = slurm::field(line, "StepId");
    const auto nodes = slurm::field(line, "NodeList");
    const bool is_musters = slurm::field(line, "Name").starts_with("muster-");
    if (!is_step(name) || slurm::is_no_list(nodes) || is_musters) continue;
    try {
      steps.push_back({.name = std::string(name),
                       .user = std::string(slurm::field(line, "UserId")),
                       .nodes = slurm::expand_hostlist(nodes),
                       .tasks = slurm::number_in(line, "Tasks")});
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): likewise
    }
  }
  return steps;
}

std::vector<std::string> jobs_without_steps(std::string_view listed,
                                            const std::vector<RunningStep>& steps) {
  std::vector<std::string> jobs;
  for (const auto line : text::split(listed, '\n')) {
    const auto fields = text::split(line, '|');
    if (fields.size() != 3 || !slurm::is_job_name(fields[0]) || fields[2] != "R") continue;
    const std::string job(fields[0]);
    if (std::ranges::find(steps, job, &RunningStep::job) == steps.end()) jobs.push_back(job);
  }
  return jobs;
}

std::vector<RunningStep> merged(const std::vector<RunningStep>& lines,
                                const std::vector<slurm::HetJob>& jobs) {
  std::vector<RunningStep> steps;
  for (const auto& line : lines) {
    const auto part = as_component(line, jobs);
    const auto same = std::ranges::find(steps, part.name, &RunningStep::name);
    if (same == steps.end()) {
      steps.push_back(part);
      continue;
    }
    same->nodes.insert(same->nodes.end(), part.nodes.begin(), part.nodes.end());
    same->tasks += part.tasks;
    same->components.insert(same->components.end(), part.components.begin(), part.components.end());
  }
  return steps;
}

std::vector<std::string> squeue_command(const std::string& jobs) {
  std::vector<std::string> words{"squeue", "--steps", "--noheader", "--format=%i|%u|%N|%A|%j"};
  if (!jobs.empty()) words.push_back("--jobs=" + jobs);
  return words;
}

RunningStep chosen_step(const std::vector<RunningStep>& steps, const std::string& name,
                        const std::string& user) {
  std::vector<RunningStep> meant;
  for (const auto& step : steps) {
    if (is_meant(step, name) && (!name.empty() || step.user == user)) meant.push_back(step);
  }
  if (meant.empty()) {
    throw Error(name.empty() ? std::string("you have no running step")
                             : fmt::format("no step {} is running (it has ended, or never "
                                           "existed); see `squeue --steps`",
                                           text::printable(name)));
  }
  if (meant.front().user != user) {
    const auto shown = shown_name(meant.front());
    const auto owner = text::printable(meant.front().user);
    throw Error(
        user == "root"
            ? fmt::format("step {0} belongs to {1}, and its ranks answer only that user; run "
                          "`runuser -u {1} -- muster dump {0}`",
                          shown, owner)
            : fmt::format("step {} belongs to {}; you can only look at your own steps", shown,
                          owner));
  }
  if (meant.size() > 1) {
    throw Error(fmt::format("{} of your steps are running ({}); name one of them", meant.size(),
                            names_of(meant)));
  }
  return meant.front();
}

namespace {

// Throws Error if squeue fails, unless it merely does not know the job.
std::string ask_squeue(const std::vector<std::string>& command, milliseconds timeout) {
  const auto result =
      os::run_command(command, {.timeout = timeout, .max_bytes = slurm::max_squeue_bytes});
  if (!result.succeeded && result.output.find("Invalid job id") == std::string::npos) {
    throw Error(fmt::format("cannot ask Slurm about the step: {}",
                            result.output.empty()
                                ? "squeue did not answer"
                                : text::printable(text::split(result.output, '\n').front())));
  }
  return result.output;
}

std::string user_name(uid_t uid = geteuid()) {
  const auto* const user = getpwuid(uid);
  return user == nullptr ? fmt::to_string(uid) : user->pw_name;
}

std::string name_of_user(const std::string& uid) {
  const auto number = text::number<uid_t>(uid);
  return number ? user_name(*number) : uid;
}

// Slurm shows the steps of a job with a step manager (enable_stepmgr) only to those who ask about that job.
void add_managed_steps(std::vector<RunningStep>& steps, const std::string& job,
                       milliseconds timeout) {
  constexpr std::size_t max_asked = 16;
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  const auto listed = ask_squeue(running_jobs_command(job), timeout);
  auto jobs = jobs_without_steps(listed, steps);
  jobs.resize(std::min(jobs.size(), max_asked));
  for (const auto& each : jobs) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= left.zero()) return;
    const auto shown = os::run_command({"scontrol", "--all", "--oneliner", "show", "step", each},
                                       {.timeout = std::chrono::duration_cast<milliseconds>(left),
                                        .max_bytes = slurm::max_squeue_bytes});
    for (auto& step : managed_steps(shown.output)) {
      step.user = name_of_user(step.user);
      steps.push_back(std::move(step));
    }
  }
}

// All components of the job that `listed` shows, whichever of them the user named.
std::vector<slurm::HetJob> ask_het_jobs(std::string_view listed, const std::string& job,
                                        milliseconds timeout) {
  auto jobs = slurm::het_jobs(listed);
  if (job.empty() || jobs.empty() || jobs.front().leader == job) return jobs;
  return slurm::het_jobs(ask_squeue(het_jobs_command(jobs.front().leader), timeout));
}

// Their numbers have nine digits, more than job numbers have.
std::optional<RunningStep> step_without_slurm(const std::string& name) {
  std::vector<RunningStep> found;
  for (const auto& [step, ranks] : steps_without_slurm("/proc", geteuid())) {
    found.push_back({.name = step,
                     .user = user_name(),
                     .nodes = {os::host_name()},
                     .tasks = ranks,
                     .without_slurm = true});
  }
  const auto meant = [&](const RunningStep& step) { return is_meant(step, name); };
  if (std::ranges::none_of(found, meant)) return std::nullopt;
  return chosen_step(found, name, user_name());
}

}  // namespace

RunningStep find_step(const std::string& name, milliseconds timeout) {
  if (auto here = step_without_slurm(name)) return *here;
  const auto job = name.substr(0, name.find_first_of(".+"));
  const auto listed = ask_squeue(het_jobs_command(job), timeout);
  const auto het = ask_het_jobs(listed, job, timeout);
  auto asked = job;
  for (const auto& component : het) {
    if (!job.empty()) asked += "," + component.job;
  }
  auto steps = running_steps(ask_squeue(squeue_command(asked), timeout));
  add_managed_steps(steps, asked, timeout);
  return chosen_step(with_job_numbers(merged(steps, het), slurm::array_tasks(listed)), name,
                     user_name());
}

}  // namespace muster::dump
