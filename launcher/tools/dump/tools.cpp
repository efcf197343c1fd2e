#include "launcher/tools/dump/tools.hpp"

#include "core/dump/stacks.hpp"
#include "core/error.hpp"
#include "core/text/list.hpp"
#include "launcher/agent/ranks/process.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/os/executable.hpp"

#include <csignal>
#include <filesystem>

#include <fmt/format.h>

namespace muster::dump {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t max_tool_output = std::size_t{1} << 20;
constexpr milliseconds detach_timeout{300};

struct Answer {
  os::CommandResult result;
  bool in_time = false;
};

Answer ask(const std::vector<std::string>& command, milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  auto result = os::run_command(
      command, {.timeout = timeout, .max_bytes = max_tool_output, .exit_timeout = detach_timeout});
  return {std::move(result), Clock::now() < deadline};
}

std::string first_output_line(std::string_view output) {
  for (const auto line : text::split(output, '\n')) {
    if (!line.empty()) return line_of(line, max_remark_bytes / 2);
  }
  return "it printed nothing";
}

std::string name_of(const std::string& program) {
  return std::filesystem::path(program).filename();
}

Stacks no_stacks(const std::string& program, const Answer& answer, milliseconds timeout) {
  const auto name = name_of(program);
  if (!answer.in_time) {
    return {.remark =
                fmt::format("{} did not finish within {} ms and was killed", name, timeout.count()),
            .hung = true};
  }
  return {.remark = line_of(fmt::format("{}: {}", name, first_output_line(answer.result.output)),
                            max_remark_bytes)};
}

// A debugger that fails may leave the process stopped, or its stop may still be pending. A running process
// does not notice SIGCONT.
class StoppedByDebugger {
 public:
  explicit StoppedByDebugger(pid_t pid) : process_(ranks::Process::open(pid)) {
    const auto stat = ranks::stat_of("/proc", pid);
    stopped_before_ = stat && stat->state == 'T';
  }

  Stacks let_go(Stacks stacks) const {
    if (stacks.threads.empty() && process_ && !stopped_before_) {
      static_cast<void>(process_->signal(SIGCONT));
    }
    return stacks;
  }

 private:
  std::optional<ranks::Process> process_;
  bool stopped_before_ = false;
};

Stacks py_spy(const std::string& program, pid_t pid, const std::string& how, milliseconds timeout) {
  const auto answer = ask({program, "dump", "--json", how, "--pid", fmt::to_string(pid)}, timeout);
  if (!answer.result.succeeded) return no_stacks(program, answer, timeout);
  try {
    auto threads = stacks_of_py_spy(answer.result.output);
    if (!threads.empty()) return {.threads = std::move(threads), .tool = "py-spy"};
    return {.remark = "py-spy found no Python thread"};
  } catch (const Error& error) {
    return {.remark = line_of(error.what(), max_remark_bytes)};
  }
}

}  // namespace

std::string find_program(const std::string& name, const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    for (const auto directory : text::split(path, ':')) {
      if (!directory.starts_with('/')) continue;
      auto file = fmt::format("{}/{}", directory, name);
      if (os::why_not_executable(file) == 0) return file;
    }
  }
  return {};
}

Stacks py_spy_stacks(const std::string& program, pid_t pid, milliseconds timeout) {
  return py_spy(program, pid, "--nonblocking", timeout);
}

Stacks native_py_spy_stacks(const std::string& program, pid_t pid, milliseconds timeout) {
  const StoppedByDebugger process(pid);
  return process.let_go(py_spy(program, pid, "--native", timeout));
}

Stacks debugger_stacks(const std::string& debugger, pid_t pid, milliseconds timeout) {
  const StoppedByDebugger process(pid);
  const auto id = fmt::to_string(pid);
  const auto command = name_of(debugger) == "gdb"
                           ? std::vector<std::string>{debugger,
                                                      "-nx",
                                                      "-batch",
                                                      "-iex",
                                                      "set auto-load off",
                                                      "-iex",
                                                      "set debuginfod enabled off",
                                                      "-p",
                                                      id,
                                                      "-ex",
                                                      "thread apply all bt 64"}
                           : std::vector<std::string>{debugger, "-n", "64", "-p", id};
  const auto answer = ask(command, timeout);
  auto threads = stacks_of_debugger(answer.result.output, static_cast<std::uint32_t>(pid));
  if (threads.empty() || !answer.in_time)
    return process.let_go(no_stacks(debugger, answer, timeout));
  return {.threads = std::move(threads), .tool = name_of(debugger)};
}

}  // namespace muster::dump
