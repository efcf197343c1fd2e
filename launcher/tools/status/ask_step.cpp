#include "launcher/tools/status/ask_step.hpp"

#include "core/error.hpp"
#include "core/slurm/squeue.hpp"
#include "core/status/json.hpp"
#include "core/text/list.hpp"
#include "core/text/message.hpp"
#include "core/text/quote.hpp"
#include "launcher/channel/control/client.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/os/host_name.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/slurm/ask.hpp"
#include "launcher/slurm/side_step.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::status {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds answer_timeout{10000};  // per supervisor
constexpr milliseconds time_between{1000};     // two counts
constexpr milliseconds slurm_timeout{5000};
constexpr milliseconds step_timeout{30000};  // includes starting a step alongside the others

std::vector<Step> ask_all(const std::vector<control::Place>& places, const std::string& name) {
  std::vector<Step> steps;
  bool one_is_silent = false;
  for (const auto& place : places) {
    const auto [reached, line] = control::ask(place, "status", answer_timeout, max_answer_bytes);
    one_is_silent = one_is_silent || (reached && !line);
    if (!line) continue;
    auto step = step_from(*line);
    if (is_meant(step, name)) steps.push_back(std::move(step));
  }
  if (steps.empty() && one_is_silent) {
    throw Error(
        fmt::format("your supervisor on {} does not answer: it is stopped, or waiting between two "
                    "attempts; try again",
                    text::printable(os::host_name())));
  }
  std::ranges::sort(steps, {}, &Step::name);
  return steps;
}

std::vector<Step> with_rates(std::vector<Step> now, const std::vector<Step>& before) {
  for (auto& step : now) {
    const auto same = std::ranges::find(before, step.name, &Step::name);
    if (same != before.end()) add_rates(step, *same);
  }
  return now;
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string short_name(std::string_view host) {
  return std::string(host.substr(0, host.find('.')));
}

// Text before the answer comes from srun.
std::vector<Step> steps_in(const std::string& output, const std::string& job) {
  const auto begin = output.find("{\n");
  if (begin != std::string::npos) return steps_from(std::string_view(output).substr(begin));
  for (const auto line : text::split(output, '\n')) {
    if (const auto message = text::message_from(line))
      throw Error(text::printable_path(message->text));
  }
  const auto said = text::printable(text::split(output, '\n').front());
  throw Error(fmt::format("job {}: the batch host did not answer{}{}", job,
                          said.empty() ? "" : ": ", said));
}

}  // namespace

std::string refusal(const std::string& name, const std::optional<slurm::Job>& job,
                    const std::string& uid, const std::string& host) {
  if (!job) return fmt::format("Slurm does not know job {}; see `squeue --me`", name);
  if (job->uid != uid) {
    return fmt::format("job {} belongs to {}; you can only look at your own steps", name,
                       text::printable(job->user));
  }
  if (job->state != "RUNNING") {
    return fmt::format(
        "job {} is not running (it is {}); if it has run, the reports of its steps say what "
        "happened",
        name, text::printable(job->state));
  }
  if (!job->het_leader.empty() && job->het_leader != name) {
    return fmt::format("job {0} is part of the heterogeneous job {1}; use {1} instead of {0}", name,
                       job->het_leader);
  }
  const auto& place = job->batch ? job->batch_host : job->submit_host;
  if (short_name(place) == short_name(host)) {
    return fmt::format(
        "job {} has no step with a supervisor here; a step has one unless it runs with "
        "supervise=off or without --distributed; see `squeue --steps`",
        name);
  }
  if (job->batch) return {};
  return fmt::format("job {}'s srun runs on another host; run muster status there: {}", name,
                     text::printable(place));
}

std::vector<Step> steps_here(const std::string& name, const Environment& environment,
                             const std::vector<Step>& before) {
  const auto places = control::places(environment, os::host_name());
  auto steps = ask_all(places, name);
  if (steps.empty() || !before.empty()) return with_rates(std::move(steps), before);
  std::this_thread::sleep_for(time_between);
  return with_rates(ask_all(places, name), steps);
}

std::vector<Step> steps_now(const std::string& name, const Environment& environment) {
  return ask_all(control::places(environment, os::host_name()), name);
}

std::string with_job_number(const std::string& name) {
  const auto task = name.substr(0, name.find('.'));
  const auto underscore = task.find('_');
  if (underscore == std::string::npos || !is_number(task.substr(0, underscore)) ||
      !is_number(task.substr(underscore + 1))) {
    return name;
  }
  const auto job = slurm::ask_job(task, slurm_timeout);
  return job && is_number(job->id) ? job->id + name.substr(task.size()) : name;
}

std::vector<std::string> running_jobs() {
  const auto result =
      os::run_command({"squeue", "--me", "--noheader", "--states=RUNNING", "--format=%A"},
                      {.timeout = slurm_timeout, .max_bytes = slurm::max_squeue_bytes});
  if (!result.succeeded) {
    throw Error(fmt::format("cannot ask Slurm about your jobs: {}",
                            result.output.empty()
                                ? "squeue did not answer"
                                : text::printable(text::split(result.output, '\n').front())));
  }
  return slurm::job_numbers(result.output);
}

std::vector<Step> steps_of_job(const std::string& name, const Environment& environment) {
  const auto job = name.substr(0, name.find('.'));
  if (!is_number(job)) {
    throw Error(
        fmt::format("{} is neither a job nor a step; a job looks like 4711, a step like "
                    "4711.0",
                    text::in_quotes(name)));
  }
  const auto found = slurm::ask_job(job, slurm_timeout);
  const auto why = refusal(job, found, fmt::to_string(geteuid()), os::host_name());
  if (!why.empty()) throw Error(why);
  const std::vector<std::string> host{found->batch_host};
  auto words = slurm::side_step_words(
      {.srun = "srun", .job = job, .name = "muster-status", .nodes = host}, environment);
  words.insert(words.end(), {site::installed_program(), "status", "--here", "--json", name});
  return steps_in(
      slurm::run_on_nodes(words, {.timeout = step_timeout, .max_bytes = max_answer_bytes}), job);
}

}  // namespace muster::status
