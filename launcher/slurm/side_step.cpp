#include "launcher/slurm/side_step.hpp"

#include "core/slurm/hostlist.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/os/slurm_environment.hpp"

#include <fmt/format.h>

namespace muster::slurm {

std::vector<std::string> side_step_words(const SideStep& step, const Environment& environment) {
  auto words = clean_environment_words(environment);
  words.insert(words.end(), {step.srun, "--jobid=" + step.job});
  const auto options = side_step_options(step);
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

std::vector<std::string> side_step_options(const SideStep& step) {
  std::vector<std::string> words{
      "--overlap",
      fmt::format("--nodes={}", step.nodes.size()),
      fmt::format("--ntasks={}", step.nodes.size()),
      "--ntasks-per-node=1",
      "--nodelist=" + compress_hostlist(step.nodes),
      "--input=none",
      "--mpi=none",
      "--cpu-bind=none",
      "--kill-on-bad-exit=0",
      "--resv-ports=0",  // it would wait for them: StepNodes::without_ports
      "--quiet",
      "--job-name=" + step.name};
  if (step.het_group) words.push_back(fmt::format("--het-group={}", *step.het_group));
  return words;
}

std::vector<std::string> clean_environment_words(const Environment& environment) {
  std::vector<std::string> words{"env"};
  for (const auto& [name, value] : environment) {
    if (os::shapes_a_step(name)) words.insert(words.end(), {"-u", name});
  }
  return words;
}

std::string run_on_nodes(const std::vector<std::string>& command, const StepBounds& bounds) {
  return os::run_command(command, {.timeout = bounds.timeout - bounds.cancel_timeout,
                                   .max_bytes = bounds.max_bytes,
                                   .exit_timeout = bounds.cancel_timeout,
                                   .interrupt = bounds.interrupt})
      .output;
}

}  // namespace muster::slurm
