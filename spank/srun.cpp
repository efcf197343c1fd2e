#include "spank/srun.hpp"

#include "spank/process.hpp"
#include "wire/layout_line.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <getopt.h>
#include <unistd.h>

namespace muster::spank {
namespace {

constexpr std::chrono::seconds check_time{10};

std::optional<std::string> variable(const char* name) {
  // srun is single-threaded here: options are parsed before its signal thread starts.
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr) return std::nullopt;
  return value;
}

std::string own_executable() {
  std::array<char, 4096> path{};
  const auto size = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : std::string();
}

// srun's own process started by a supervisor, or replaced by one that wants no child.
bool supervised(const SrunProcess& process) {
  return process.guard && (*process.guard == std::to_string(process.parent) ||
                           *process.guard == std::to_string(process.pid));
}

// salloc's shell on a compute node (LaunchParameters=use_interactive_step) is no training step.
bool interactive_step(const SrunProcess& process) {
  const auto& words = process.arguments;
  const auto end = process.program_index > 0 && process.program_index <= words.size()
                       ? words.begin() + static_cast<std::ptrdiff_t>(process.program_index)
                       : words.end();
  return std::find(words.begin(), end, "--interactive") != end;
}

std::vector<std::string> program_command(const Plugstack& line, const char* verb,
                                         const std::string& value) {
  std::vector<std::string> command{line.muster, verb, "--distributed=" + value,
                                   "--config=" + line.config};
  if (line.trust_any_owner) command.emplace_back("--trust-any-owner");
  return command;
}

// Each component's tasks by the ranks that they will have; empty where Slurm tells nonsense.
std::string layout_line(const StepLayout& layout) {
  wire::StepLayoutText text{.nodes = {}, .mapping = {}, .address = layout.first_address};
  text.features = layout.first_features;
  text.tres_bind = layout.tres_bind;
  std::vector<std::uint32_t> node_of_rank;
  std::uint32_t first_node = 0;
  for (const auto& component : layout.components) {
    const auto first_rank = node_of_rank.size();
    std::size_t tasks = 0;
    for (const auto& node : component.tasks) tasks += node.size();
    node_of_rank.resize(first_rank + tasks);
    for (std::uint32_t node = 0; node < component.tasks.size(); ++node) {
      for (const auto task : component.tasks[node]) {
        if (task >= tasks) return {};
        node_of_rank[first_rank + task] = first_node + node;
      }
    }
    const auto nodes = static_cast<std::uint32_t>(component.tasks.size());
    if (!text.nodes.empty()) text.nodes += ',';
    text.nodes += component.nodes;
    text.components.push_back({component.job_id, nodes, static_cast<std::uint32_t>(tasks)});
    first_node += nodes;
  }
  if (text.components.size() == 1) text.components.clear();
  text.mapping = wire::encode_mapping(node_of_rank);
  return wire::encode(text);
}

// Why muster cannot be run at all; empty when it can.
std::string unusable(const Plugstack& line) {
  if (!line.error.empty()) return line.error;
  return untrusted_program(line.muster, line.trust_any_owner);
}

}  // namespace

SrunProcess this_process() {
  SrunProcess process;
  process.arguments = own_arguments();
  process.executable = own_executable();
  // getopt_long has just run in this very process: optind is where srun's own options end.
  process.program_index = optind > 0 ? static_cast<std::size_t>(optind) : 0;
  process.pid = getpid();
  process.parent = getppid();
  process.guard = variable(wire::guard_variable);
  process.twin = variable(wire::twin_variable);
  return process;
}

std::optional<std::vector<std::string>> supervisor_command(const Option& option,
                                                           const Plugstack& line,
                                                           const SrunProcess& process) {
  const auto value = option.wanted(process.twin ? process.twin->c_str() : nullptr);
  if (!value || supervised(process) || interactive_step(process)) return std::nullopt;

  auto command = program_command(line, "supervise", *value);
  if (process.program_index > 0 && process.program_index < process.arguments.size()) {
    command.push_back("--program-index=" + std::to_string(process.program_index));
  }
  command.emplace_back("--");
  command.push_back(process.executable.empty() ? "srun" : process.executable);
  if (!process.arguments.empty()) {
    command.insert(command.end(), process.arguments.begin() + 1, process.arguments.end());
  }
  return command;
}

void show_help(const Plugstack& line) {
  const auto outcome = run(program_command(line, "check", "help"), check_time);
  std::exit(outcome == wire::check_help_shown ? 0 : 1);  // NOLINT(concurrency-mt-unsafe)
}

// One step, one request: Slurm knows only the last value that it has read.
std::string Srun::contradiction(const std::string& value) {
  const auto before = value_.value_or(value);
  value_ = value;
  if (value == before) return {};
  return "--distributed=" + before + " and --distributed=" + value +
         " in one step: it holds for all components; give it once";
}

int Srun::options_parsed(SlurmApi& slurm, const Option& option, const Plugstack& line) {
  ++components_;
  // Most sruns never heard of muster: find that out before anything is read or allocated.
  if (!option.given() && !variable(wire::twin_variable)) return 0;

  auto process = this_process();
  if (components_ > 1) process.program_index = 0;  // getopt counts from the ':' on
  const auto value = option.wanted(process.twin ? process.twin->c_str() : nullptr);
  // The guard is gone after its first sight, but not what it said: a supervisor that starts a
  // supervisor would never end.
  supervised_ = supervised_ || supervised(process);
  auto why = supervised_ ? contradiction(value.value_or("off")) : unusable(line);
  const auto command = supervised_ ? std::nullopt : supervisor_command(option, line, process);
  if (!command) {
    unsetenv(wire::guard_variable);
    if (!supervised_) unsetenv(wire::request_variable);
    if (!supervised_ || why.empty()) return 0;
  }
  if (why.empty()) {
    // srun has changed its environment while it parsed its options (22.05 writes the default MPI
    // type into SLURM_MPI_TYPE): the supervisor and the second pass must see what the user had.
    execute(*command, initial_environment());
    why = "cannot start " + line.muster + ": " + std::strerror(errno);
  }
  slurm.error("muster: " + why);
  return -1;
}

int submission_options_parsed(SlurmApi& slurm, const Option& option, const Plugstack& line) {
  const auto twin = variable(wire::twin_variable);
  const auto value = option.wanted(twin ? twin->c_str() : nullptr);
  if (!value) return 0;
  if (const auto why = unusable(line); !why.empty()) {
    slurm.error("muster: " + why);
    return -1;
  }
  const auto outcome = run(program_command(line, "check", *value), check_time);
  if (outcome == wire::check_good) return 0;
  if (outcome == wire::check_help_shown) std::exit(0);  // NOLINT(concurrency-mt-unsafe)
  if (!outcome) slurm.error("muster: " + line.muster + " check could not run or took over 10 s");
  return -1;
}

int Srun::step_created(SlurmApi& slurm) {
  if (!variable(wire::request_variable)) return 0;
  const auto layout = slurm.step_layout(std::max(components_, 1U));
  if (!layout) return 0;  // the agents fall back to what Slurm's variables say
  const auto text = layout_line(*layout);
  if (!text.empty()) setenv(wire::step_variable, text.c_str(), 1);
  return 0;
}

}  // namespace muster::spank
