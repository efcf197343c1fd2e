#include "core/report/exit_status.hpp"

#include "core/contains.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

#include <fmt/format.h>
#include <sys/wait.h>

namespace muster::report {
namespace {

struct Known {
  int number;
  std::string_view name;
  std::string_view words;
  bool from_shells = false;  // treat 128 + n as this signal
};

constexpr std::array signals{
    Known{SIGHUP, "SIGHUP", "hangup", true},
    Known{SIGINT, "SIGINT", "interrupt", true},
    Known{SIGQUIT, "SIGQUIT", "quit", true},
    Known{SIGILL, "SIGILL", "illegal instruction", true},
    Known{SIGTRAP, "SIGTRAP", "trap", true},
    Known{SIGABRT, "SIGABRT", "abort", true},
    Known{SIGBUS, "SIGBUS", "bus error", true},
    Known{SIGFPE, "SIGFPE", "arithmetic error", true},
    Known{SIGKILL, "SIGKILL", "killed", true},
    Known{SIGUSR1, "SIGUSR1", "user signal 1"},
    Known{SIGSEGV, "SIGSEGV", "segmentation fault", true},
    Known{SIGUSR2, "SIGUSR2", "user signal 2"},
    Known{SIGPIPE, "SIGPIPE", "broken pipe", true},
    Known{SIGALRM, "SIGALRM", "alarm"},
    Known{SIGTERM, "SIGTERM", "terminated", true},
    Known{SIGSTKFLT, "SIGSTKFLT", "stack fault"},
    Known{SIGCHLD, "SIGCHLD", "child exited"},
    Known{SIGCONT, "SIGCONT", "continued"},
    Known{SIGSTOP, "SIGSTOP", "stopped"},
    Known{SIGTSTP, "SIGTSTP", "stopped"},
    Known{SIGTTIN, "SIGTTIN", "terminal input"},
    Known{SIGTTOU, "SIGTTOU", "terminal output"},
    Known{SIGURG, "SIGURG", "urgent data"},
    Known{SIGXCPU, "SIGXCPU", "CPU time limit exceeded"},
    Known{SIGXFSZ, "SIGXFSZ", "file size limit exceeded"},
    Known{SIGVTALRM, "SIGVTALRM", "virtual alarm"},
    Known{SIGPROF, "SIGPROF", "profiling alarm"},
    Known{SIGWINCH, "SIGWINCH", "window changed"},
    Known{SIGIO, "SIGIO", "input or output possible"},
    Known{SIGPWR, "SIGPWR", "power failure"},
    Known{SIGSYS, "SIGSYS", "bad system call"},
    Known{slurms_memory_signal, "out of memory", "Slurm's 0:125"},
};

const Known* known(int number) {
  const auto* const found = std::ranges::find(signals, number, &Known::number);
  return found == signals.end() ? nullptr : found;
}

}  // namespace

std::optional<int> exit_code(std::int32_t wait_status) {
  if (!WIFEXITED(wait_status)) return std::nullopt;
  return WEXITSTATUS(wait_status);
}

std::optional<int> end_signal(std::int32_t wait_status) {
  if (!WIFSIGNALED(wait_status)) return std::nullopt;
  return WTERMSIG(wait_status);
}

bool has_core_file(std::int32_t wait_status) {
  return WIFSIGNALED(wait_status) && WCOREDUMP(wait_status);
}

int shell_code(std::int32_t wait_status) {
  if (const auto code = exit_code(wait_status)) return *code;
  return 128 + (wait_status & 0x7F);
}

std::optional<int> signal_behind(int code) {
  const auto* const signal = known(code - 128);
  if (signal == nullptr || !signal->from_shells) return std::nullopt;
  return signal->number;
}

std::optional<int> sent_signal(std::int32_t wait_status) {
  constexpr std::array senders{SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGUSR1, SIGUSR2, SIGTERM};
  const auto own = end_signal(wait_status);
  const auto signal = own ? own : signal_behind(shell_code(wait_status));
  if (!signal || !contains(senders, *signal)) return std::nullopt;
  return signal;
}

std::string signal_name(int number) {
  if (const auto* const signal = known(number)) return std::string(signal->name);
  const int first = SIGRTMIN;
  if (number == first) return "SIGRTMIN";
  if (number > first && number <= SIGRTMAX) return fmt::format("SIGRTMIN+{}", number - first);
  return fmt::format("signal {}", number);
}

std::string in_words(std::int32_t wait_status) {
  if (const auto code = exit_code(wait_status)) return fmt::format("exit code {}", *code);
  const auto number = end_signal(wait_status);
  if (!number) return fmt::format("wait status {:#x}", static_cast<std::uint32_t>(wait_status));
  const auto* const signal = known(*number);
  return fmt::format("{}{}{}", signal_name(*number),
                     signal == nullptr ? "" : fmt::format(" ({})", signal->words),
                     has_core_file(wait_status) ? ", core dumped" : "");
}

}  // namespace muster::report
