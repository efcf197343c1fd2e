#include "launcher/tools/doctor/doctor_step.hpp"

#include "core/doctor/message.hpp"
#include "core/error.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/text/quote.hpp"
#include "launcher/slurm/side_step.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace muster::doctor {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t max_output = std::size_t{256} << 20;
constexpr milliseconds cancel_timeout{1000};

std::vector<std::string> srun_words(const StepOrder& order, const Environment& environment) {
  auto words = slurm::clean_environment_words(environment);
  words.push_back(order.srun);
  if (!order.job.empty()) words.insert(words.end(), {"--jobid=" + order.job, "--overlap"});
  words.insert(words.end(), {"--ntasks-per-node=1", "--input=none", "--mpi=none", "--cpu-bind=none",
                             "--kill-on-bad-exit=0", "--quiet", "--job-name=muster-doctor"});
  words.insert(words.end(), order.srun_options.begin(), order.srun_options.end());
  return words;
}

std::vector<std::string> expected_nodes(const StepOrder& order, const Answers& answers) {
  if (order.srun_options.empty() || answers.nodes.empty()) return order.nodes;
  const auto list = answers.nodes.begin()->second.text("step.nodes");
  if (list.size() >= max_fact_bytes) return {};  // truncated, perhaps within a name
  try {
    return slurm::expand_hostlist(list);
  } catch (const Error&) {
    return {};
  }
}

std::uint64_t now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<milliseconds>(since).count());
}

}  // namespace

std::vector<std::string> step_command(const StepOrder& order, const Facts& facts,
                                      const Environment& environment) {
  auto words = order.srun_options.empty() ? slurm::side_step_words({.srun = order.srun,
                                                                    .job = order.job,
                                                                    .name = "muster-doctor",
                                                                    .nodes = order.nodes},
                                                                   environment)
                                          : srun_words(order, environment);
  words.insert(words.end(), {order.program, "doctor-node"});
  if (facts.has("plugin.plugstack"))
    words.push_back("--plugstack=" + facts.text("plugin.plugstack"));
  if (facts.has("slurm.PluginDir")) words.push_back("--plugins=" + facts.text("slurm.PluginDir"));
  return words;
}

void take_answers(const StepOrder& order, std::string_view output, Examination& examination) {
  auto answers = read_answers(output);
  if (answers.nodes.empty()) {
    examination.problem =
        fmt::format("no node answered within {} s{}{}", order.timeout.count() / 1000,
                    answers.other_line.empty() ? "" : ": ", answers.other_line);
    // A shell keeps this variable long after its job has ended.
    if (!order.job.empty() && order.srun_options.empty()) {
      examination.problem += fmt::format(
          " (in job {}, which SLURM_JOB_ID names; if that job is over, unset SLURM_JOB_ID)",
          text::printable(order.job));
    }
  }
  for (const auto& node : expected_nodes(order, answers)) {
    if (!answers.nodes.contains(node)) examination.silent.push_back(node);
  }
  const auto submit = examination.hosts.empty() ? Facts() : examination.hosts.front().facts;
  for (auto& [node, facts] : answers.nodes) {
    for (const auto& [name, value] : submit.all()) {
      if (name.starts_with("slurm.")) facts.set(name, value);
    }
    examination.hosts.push_back({node, false, true, std::move(facts)});
  }
}

void examine_nodes(const StepOrder& order, const Environment& environment,
                   Examination& examination) {
  const auto facts = examination.hosts.empty() ? Facts() : examination.hosts.front().facts;
  examination.asked.begin = now();
  const auto output = slurm::run_on_nodes(step_command(order, facts, environment),
                                          {.timeout = order.timeout + cancel_timeout,
                                           .max_bytes = max_output,
                                           .cancel_timeout = cancel_timeout});
  examination.asked.end = now();
  take_answers(order, output, examination);
}

}  // namespace muster::doctor
