#include "launcher/dump/running_step.hpp"

#include "core/error.hpp"
#include "core/layout/hostlist.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/command_output.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::dump {
namespace {

constexpr std::size_t max_output = std::size_t{4} << 20;
constexpr std::size_t max_named = 4;

bool is_step(std::string_view name) {
  const auto dot = name.find('.');
  return dot != std::string_view::npos && text::number<std::uint32_t>(name.substr(0, dot)) &&
         text::number<std::uint32_t>(name.substr(dot + 1));
}

bool is_meant(const RunningStep& step, const std::string& name) {
  return name.empty() || step.name == name || step.job() == name;
}

std::string names_of(const std::vector<RunningStep>& steps) {
  std::vector<std::string> names;
  for (const auto& step : steps) names.push_back(step.name);
  if (names.size() > max_named) {
    names.resize(max_named);
    names.emplace_back("...");
  }
  return text::join(names, ", ");
}

}  // namespace

std::vector<RunningStep> running_steps(std::string_view output) {
  std::vector<RunningStep> steps;
  for (const auto line : text::split(output, '\n')) {
    const auto fields = text::split(line, '|');
    if (fields.size() < 5 || !is_step(fields[0]) || fields[4].starts_with("muster-")) continue;
    try {
      steps.push_back({.name = std::string(fields[0]),
                       .user = std::string(fields[1]),
                       .nodes = layout::expand_hostlist(fields[2]),
                       .tasks = text::number<std::uint32_t>(fields[3]).value_or(0)});
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): a step without nodes has no ranks
    }
  }
  return steps;
}

std::vector<std::string> squeue_command(const std::string& job) {
  std::vector<std::string> words{"squeue", "--steps", "--noheader", "--format=%i|%u|%N|%A|%j"};
  if (!job.empty()) words.push_back("--jobs=" + job);
  return words;
}

RunningStep chosen_step(const std::vector<RunningStep>& steps, const std::string& name,
                        const std::string& user) {
  std::vector<RunningStep> meant;
  for (const auto& step : steps) {
    if (is_meant(step, name) && (!name.empty() || step.user == user)) meant.push_back(step);
  }
  if (meant.empty()) {
    throw Error(name.empty() ? std::string("you have no step that runs")
                             : fmt::format("no step {} runs (it has ended, or never was); "
                                           "see `squeue --steps`",
                                           text::printable(name)));
  }
  if (meant.front().user != user) {
    throw Error(fmt::format("step {} is {}'s; you can look at your own steps only",
                            meant.front().name, text::printable(meant.front().user)));
  }
  if (meant.size() > 1) {
    throw Error(fmt::format("{} of your steps run ({}); say which", meant.size(), names_of(meant)));
  }
  return meant.front();
}

RunningStep find_step(const std::string& name, const std::string& user,
                      std::chrono::milliseconds timeout) {
  const auto job = name.substr(0, name.find('.'));
  const auto result =
      os::run_command(squeue_command(job), {.timeout = timeout, .max_bytes = max_output});
  if (!result.succeeded && result.output.find("Invalid job id") == std::string::npos) {
    throw Error(fmt::format("cannot ask Slurm for the step: {}",
                            result.output.empty()
                                ? "squeue gave no answer"
                                : text::printable(text::split(result.output, '\n').front())));
  }
  return chosen_step(running_steps(result.output), name, user);
}

}  // namespace muster::dump
