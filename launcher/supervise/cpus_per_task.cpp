#include "launcher/supervise/cpus_per_task.hpp"

#include "core/text/number.hpp"
#include "launcher/supervise/het_step.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace muster::supervise {
namespace {

bool begins_with_any(const std::string& word, const auto& beginnings) {
  return std::ranges::any_of(beginnings, [&](auto start) { return word.starts_with(start); });
}

// Options after which the tasks of a step may need other nodes than the job has for them.
bool shapes_step(const std::string& word) {
  constexpr std::array<std::string_view, 16> options{
      "-N", "--nodes", "-w", "--nodel",      "-x",           "--exclude",   "-r",    "--rela",
      "-F", "--nodef", "-m", "--distributi", "--ntasks-per", "--tasks-per", "--het", "--pack"};
  return begins_with_any(word, options);
}

std::optional<unsigned> variable(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::nullopt : text::number<unsigned>(found->second);
}

// -n of the command line in each of its forms; text that is no number stands for too many tasks.
std::optional<std::string> tasks_option(const std::vector<std::string>& options) {
  std::optional<std::string> found;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto& word = options[i];
    const bool takes_next = word == "-n" || word == "--ntasks";
    if (takes_next && i + 1 < options.size()) found = options[i + 1];
    if (word.starts_with("-n") && word.size() > 2) found = word.substr(2);
    if (word.starts_with("--ntasks=")) found = word.substr(word.find('=') + 1);
  }
  return found;
}

// The job has room for its own number of tasks, or for one on each node.
bool fits_job(const Environment& environment, const std::vector<std::string>& options) {
  const auto wanted = tasks_option(options);
  if (!wanted) return true;
  auto tasks = variable(environment, "SLURM_NTASKS");
  if (!tasks) tasks = variable(environment, "SLURM_JOB_NUM_NODES");
  const auto count = text::number<unsigned>(*wanted);
  return count && tasks && *count <= *tasks;
}

}  // namespace

bool chose_cpus(const srun::Command& command) {
  constexpr std::array<std::string_view, 9> choosing{
      "-c", "--cpus-per",  "--tres-per-task", "-B", "--extra-node", "--cores-per", "--threads-per",
      "-O", "--overcommit"};
  const auto options = command.options();
  return std::ranges::any_of(options, [&](auto& word) { return begins_with_any(word, choosing); });
}

bool shares_job(const srun::Command& command) {
  constexpr std::array<std::string_view, 3> sharing{"--exact", "--exc", "--overlap"};
  const auto options = command.options();
  return std::ranges::any_of(options, [&](auto& word) { return begins_with_any(word, sharing); });
}

std::optional<std::string> inherited_cpus_per_task(const Environment& environment,
                                                   const srun::Command& command) {
  const auto found = environment.find("SLURM_CPUS_PER_TASK");
  if (found == environment.end() || !environment.contains("SLURM_JOB_ID") ||
      environment.contains("SRUN_CPUS_PER_TASK") || environment.contains("SLURM_HOSTFILE")) {
    return std::nullopt;
  }
  const auto options = command.options();
  if (command.program == 0 || heterogeneous(command) || chose_cpus(command) ||
      std::ranges::any_of(options, shapes_step) || !fits_job(environment, options)) {
    return std::nullopt;
  }
  return found->second;
}

}  // namespace muster::supervise
