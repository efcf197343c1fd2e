#include "spank/srun.hpp"

#include "spank/muster_command.hpp"
#include "spank/plugin_directory.hpp"
#include "spank/process.hpp"
#include "spank/step_line.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

#include <getopt.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::spank {
namespace {

// An srun that was started by a supervisor, or that replaced a supervisor because no child was needed.
bool supervised(const SrunProcess& process) {
  return process.supervisor_pid && (*process.supervisor_pid == std::to_string(process.parent) ||
                                    *process.supervisor_pid == std::to_string(process.pid));
}

// salloc's shell on a compute node (LaunchParameters=use_interactive_step) is not a training step.
bool interactive_step(const SrunProcess& process) {
  const auto& words = process.arguments;
  const auto end = process.program_index > 0 && process.program_index <= words.size()
                       ? words.begin() + static_cast<std::ptrdiff_t>(process.program_index)
                       : words.end();
  return std::find(words.begin(), end, "--interactive") != end;
}

// Tells the supervisor, which works without this message as well.
void say_step_exists(const std::string& socket, const std::string& layout) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto nanoseconds = static_cast<long long>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
  const auto text = std::to_string(nanoseconds) + ' ' + layout;
  const int descriptor =
      std::atoi(socket.c_str());  // NOLINT(cert-err34-c): what is none, send() refuses
  send(descriptor, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace

std::string misspelled_option_variable(char** environment) {
  constexpr std::string_view begin = "MUSTER_DIST";
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry(*environment);
    const auto name = entry.substr(0, entry.find('='));
    if (name.substr(0, begin.size()) == begin && name != wire::option_variable)
      return std::string(name);
  }
  return {};
}

SrunProcess this_process() {
  SrunProcess process;
  process.arguments = own_arguments();
  process.executable = own_executable();
  process.plugin_directory = spank::plugin_directory();
  // getopt_long has just run in this process: optind is where srun's own options end.
  process.program_index = optind > 0 ? static_cast<std::size_t>(optind) : 0;
  process.pid = getpid();
  process.parent = getppid();
  process.supervisor_pid = variable(wire::supervisor_variable);
  process.environment_value = variable(wire::option_variable);
  return process;
}

std::optional<std::vector<std::string>> supervisor_command(const Option& option,
                                                           const Plugstack& line,
                                                           const SrunProcess& process) {
  const auto value =
      option.wanted(process.environment_value ? process.environment_value->c_str() : nullptr);
  if (!value || supervised(process) || interactive_step(process)) return std::nullopt;

  auto command = muster_command(line, "supervise", *value);
  if (!process.plugin_directory.empty())
    command.push_back("--slurm-plugins=" + process.plugin_directory);
  if (!process.mpi_default.empty()) command.push_back("--mpi-default=" + process.mpi_default);
  add_arguments(command, process.executable.empty() ? "srun" : process.executable,
                process.arguments, process.program_index);
  return command;
}

// NOLINTBEGIN(concurrency-mt-unsafe): srun has no other thread yet

// A step has one request: Slurm keeps only the last value that it read.
std::string Srun::contradiction(const std::string& value) {
  const auto before = value_.value_or(value);
  value_ = value;
  if (value == before) return {};
  return "--distributed=" + before + " and --distributed=" + value +
         " in one step: the option applies to all components; use it only once";
}

int Srun::options_parsed(SlurmApi& slurm, const Option& option, const Plugstack& line) {
  auto process = this_process();
  if (components_ > 1) process.program_index = 0;  // getopt counts from the ':'
  const auto value =
      option.wanted(process.environment_value ? process.environment_value->c_str() : nullptr);
  // The variable is removed when it is first read, but its value is remembered: otherwise supervisors would
  // start supervisors endlessly.
  supervised_ = supervised_ || supervised(process);
  if (!supervised_) process.mpi_default = slurm.mpi_default();
  auto why = supervised_ ? contradiction(value.value_or("off")) : unusable(line);
  const auto command = supervised_ ? std::nullopt : supervisor_command(option, line, process);
  if (!command) {
    unsetenv(wire::supervisor_variable);
    if (!socket_) socket_ = variable(wire::step_socket_variable);
    unsetenv(wire::step_socket_variable);
    if (!supervised_) unsetenv(wire::request_variable);
    if (!supervised_ || why.empty()) return 0;
  }
  if (why.empty()) {
    // srun changes its environment while it parses its options (22.05 writes the default MPI type
    // into SLURM_MPI_TYPE). The supervisor and the second pass must see the user's environment.
    execute(*command, initial_environment());
    why = "cannot start " + line.muster + ": " + std::strerror(errno);
  }
  slurm.error("muster: " + why);
  return -1;
}

int Srun::step_created(SlurmApi& slurm) {
  const auto layout = slurm.step_layout(std::max(components_, 1U));
  // Without a layout, the agents use Slurm's variables.
  const auto text = layout ? step_line(*layout) : std::string();
  if (!text.empty()) setenv(wire::step_variable, text.c_str(), 1);
  if (socket_) say_step_exists(*std::exchange(socket_, std::nullopt), text);
  return 0;
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace muster::spank
