#include "launcher/allocation/salloc.hpp"

#include "core/option/srun_options.hpp"
#include "launcher/allocation/is_one_of.hpp"
#include "launcher/allocation/spare_nodes.hpp"
#include "launcher/allocation/srun_line.hpp"

#include <array>

namespace muster::allocation {
namespace {

struct Variable {
  std::string_view name;
  std::string_view option;
};

// What srun takes from its environment for the allocation that it makes; salloc reads other variables.
// Of several for one option the last counts.
constexpr std::array variables{Variable{"SLURM_ACCOUNT", "account"},
                               Variable{"SLURM_ACCTG_FREQ", "acctg-freq"},
                               Variable{"SLURM_BURST_BUFFER", "bb"},
                               Variable{"SLURM_CLUSTER_CONSTRAINT", "cluster-constraint"},
                               Variable{"SLURM_CONSOLIDATE_SEGMENTS", "consolidate-segments"},
                               Variable{"SLURM_CONSTRAINT", "constraint"},
                               Variable{"SLURM_CORE_SPEC", "core-spec"},
                               Variable{"SRUN_CPUS_PER_TASK", "cpus-per-task"},
                               Variable{"SLURM_CPU_FREQ_REQ", "cpu-freq"},
                               Variable{"SLURM_CPUS_PER_GPU", "cpus-per-gpu"},
                               Variable{"SLURM_DELAY_BOOT", "delay-boot"},
                               Variable{"SLURM_DEPENDENCY", "dependency"},
                               Variable{"SLURM_DISTRIBUTION", "distribution"},
                               Variable{"SLURM_EXCLUSIVE", "exclusive"},
                               Variable{"SLURM_GPUS", "gpus"},
                               Variable{"SLURM_GPU_FREQ", "gpu-freq"},
                               Variable{"SLURM_GPUS_PER_NODE", "gpus-per-node"},
                               Variable{"SLURM_GPUS_PER_SOCKET", "gpus-per-socket"},
                               Variable{"SLURM_GPUS_PER_TASK", "gpus-per-task"},
                               Variable{"SLURM_GRES", "gres"},
                               Variable{"SLURM_GRES_FLAGS", "gres-flags"},
                               Variable{"SLURM_JOB_NAME", "job-name"},
                               Variable{"SLURM_JOB_NUM_NODES", "nodes"},
                               Variable{"SLURM_MEM_PER_CPU", "mem-per-cpu"},
                               Variable{"SLURM_MEM_PER_GPU", "mem-per-gpu"},
                               Variable{"SLURM_MEM_PER_NODE", "mem"},
                               Variable{"SLURM_NCORES_PER_SOCKET", "cores-per-socket"},
                               Variable{"SLURM_NETWORK", "network"},
                               Variable{"SLURM_NO_KILL", "no-kill"},
                               Variable{"SLURM_NPROCS", "ntasks"},
                               Variable{"SLURM_NTASKS", "ntasks"},
                               Variable{"SLURM_NSOCKETS_PER_NODE", "sockets-per-node"},
                               Variable{"SLURM_NTASKS_PER_NODE", "ntasks-per-node"},
                               Variable{"SLURM_NTASKS_PER_GPU", "ntasks-per-gpu"},
                               Variable{"SLURM_NTASKS_PER_TRES", "ntasks-per-tres"},
                               Variable{"SLURM_OVERCOMMIT", "overcommit"},
                               Variable{"SLURM_PARTITION", "partition"},
                               Variable{"SLURM_POWER", "power"},
                               Variable{"SLURM_PROFILE", "profile"},
                               Variable{"SLURM_QOS", "qos"},
                               Variable{"SLURM_RESERVATION", "reservation"},
                               Variable{"SLURM_SIGNAL", "signal"},
                               Variable{"SLURM_SPREAD_JOB", "spread-job"},
                               Variable{"SLURM_SPREAD_SEGMENTS", "spread-segments"},
                               Variable{"SRUN_SEGMENT_SIZE", "segment"},
                               Variable{"SLURM_THREAD_SPEC", "thread-spec"},
                               Variable{"SLURM_THREADS_PER_CORE", "threads-per-core"},
                               Variable{"SLURM_TIMELIMIT", "time"},
                               Variable{"SLURM_TRES_PER_TASK", "tres-per-task"},
                               Variable{"SLURM_USE_MIN_NODES", "use-min-nodes"},
                               Variable{"SLURM_WCKEY", "wckey"}};

// srun's own, and those of another meaning there: the step's directory counts from where the user is.
bool is_for_the_step_alone(std::string_view name) {
  constexpr std::array<std::string_view, 8> names{"chdir",   "distributed", "help", "usage",
                                                  "version", "jobid",       "uid",  "gid"};
  return is_one_of(name, names);
}

// salloc's help is silent about these. Where srun has them, salloc of the same release has them too.
bool is_unlisted(std::string_view name) {
  constexpr std::array<std::string_view, 13> names{
      "acctg-freq",     "consolidate-segments", "context", "extra",     "network",
      "ntasks-per-gpu", "ntasks-per-tres",      "prefer",  "resources", "segment",
      "stepmgr",        "tasks-per-node",       "x11"};
  return is_one_of(name, names);
}

// salloc refuses one that would leave a node without a task, where srun places the tasks on all of them.
bool is_plane(const SrunOption& option) {
  return option.name == "distribution" && option.value && option.value->starts_with("plane");
}

bool is_for_salloc(const SallocOptions& known, std::string_view name) {
  return !is_for_the_step_alone(name) && (is_one_of(name, known.names) || is_unlisted(name));
}

// srun's line behind what its environment says, which counts less.
SrunLine with_variables(const supervise::SrunCommand& srun, const Environment& environment) {
  auto line = read_srun_line(srun);
  std::vector<SrunOption> options;
  for (const auto& variable : variables) {
    const auto found = environment.find(variable.name);
    if (found == environment.end()) continue;
    options.push_back({std::string(variable.option), found->second, {}});
    if (is_flag(variable.option)) options.back().value.reset();
  }
  line.options.insert(line.options.begin(), options.begin(), options.end());
  return line;
}

// In the one form that does not depend on whether salloc wants a value. An option of another plugin
// stays as it was given.
void append(std::vector<std::string>& words, const SrunOption& option) {
  if (!option::is_exact_srun_option(option.name)) {
    words.insert(words.end(), option.words.begin(), option.words.end());
    return;
  }
  words.push_back("--" + option.name + (option.value ? '=' + *option.value : ""));
}

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::vector<std::string> without_sallocs_variables(const Environment& environment) {
  std::vector<std::string> words;
  for (const auto& [name, value] : environment) {
    if (!name.starts_with("SALLOC_")) continue;
    if (words.empty()) words.emplace_back("env");
    words.insert(words.end(), {"-u", name});
  }
  return words;
}

}  // namespace

SallocOptions salloc_options(std::string_view help) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789-_";
  SallocOptions options;
  for (auto at = help.find(" --"); at != std::string_view::npos; at = help.find(" --", at + 1)) {
    const auto rest = help.substr(at + 3);
    const auto name = rest.substr(0, rest.find_first_not_of(letters));
    if (!name.empty() && !is_one_of(name, options.names)) options.names.emplace_back(name);
  }
  return options;
}

std::string salloc_beside(const std::string& srun) {
  return srun.substr(0, srun.rfind('/') + 1) + "salloc";
}

std::vector<std::string> salloc_command(const SallocOptions& known,
                                        const supervise::SrunCommand& srun,
                                        const Environment& environment, std::uint32_t spares,
                                        const std::vector<std::string>& supervisor) {
  const auto line = with_variables(srun, environment);
  auto words = without_sallocs_variables(environment);
  words.push_back(salloc_beside(srun.words.front()));
  // srun rings no bell, and its job has its program's name.
  if (is_one_of("no-bell", known.names)) words.emplace_back("--no-bell");
  if (line.program < srun.words.size()) {
    words.push_back("--job-name=" + base_name(srun.words[line.program]));
  }
  for (const auto& option : line.options) {
    if (is_for_salloc(known, option.name) && !is_plane(option)) append(words, option);
  }
  const auto more = with_spares(line, spares);
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), supervisor.begin(), supervisor.end());
  return words;
}

}  // namespace muster::allocation
