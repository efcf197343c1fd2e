#include "launcher/slurm/srun.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/executable.hpp"
#include "launcher/os/interrupts.hpp"
#include "launcher/os/open_files.hpp"
#include "launcher/os/output.hpp"
#include "launcher/os/terminal.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::slurm {
namespace {

void execute(const std::vector<std::string>& command) {
  execvp(command.front().c_str(), os::exec_pointers(command).data());
}

// For poll(): in milliseconds, or -1 if there is no time limit.
int wait_time(std::optional<std::chrono::steady_clock::time_point> time) {
  using std::chrono::milliseconds;
  if (!time) return -1;
  const auto left = std::chrono::ceil<milliseconds>(*time - std::chrono::steady_clock::now());
  constexpr milliseconds longest = std::chrono::hours{1};
  return static_cast<int>(std::clamp(left, milliseconds{0}, longest).count());
}

// The variable tells srun's shim that this is the second pass.
void set_supervisor_pid(pid_t supervisor) {
  setenv(wire::supervisor_variable, fmt::to_string(supervisor).c_str(), 1);
}

class SrunChild {
 public:
  SrunChild(const std::vector<std::string>& command, const SrunHooks& hooks) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask_before_);
    signals_ = os::Descriptor(signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals_) throw Error(fmt::format("cannot wait for srun: {}", std::strerror(errno)));
    shares_terminal_ = !hooks.become;
    const bool foreground = shares_terminal_ && terminal_.is_ours();
    const pid_t supervisor = getpid();
    set_supervisor_pid(supervisor);
    pid_ = fork();
    if (pid_ < 0) throw Error(fmt::format("cannot start srun: {}", std::strerror(errno)));
    if (pid_ == 0) {
      begin_child(foreground, supervisor, hooks.mask.value_or(mask_before_));
      if (hooks.become) _exit(hooks.become());
      become(command);
    }
    // Both sides set it, because either may run first.
    setpgid(pid_, pid_);
    if (foreground) terminal_.give_to(pid_);
    if (shares_terminal_ && terminal_.exists()) interrupts_.emplace(pid_);
  }

  Ended wait(const SrunHooks& hooks) {
    while (true) {
      std::array<pollfd, 2> sources{{{signals_.get(), POLLIN, 0}, {hooks.wakes, POLLIN, 0}}};
      const bool woken = poll(sources.data(), sources.size(), wait_time(hooks.next())) >= 0;
      if (woken && sources[0].revents == 0) {
        hooks.act(pid_);
        continue;
      }
      const auto info = next_signal();
      const auto signal = static_cast<int>(info.ssi_signo);
      if (interrupts_ && interrupts_->told_by(info)) {
        hooks.interrupted();
      } else if (signal == SIGCHLD) {
        const auto status = reap(hooks);
        if (!status) continue;
        hear_the_rest(hooks);
        return {*status};
      } else if (signal == SIGCONT) {
        resume();
      } else if (signal > 0 && !hooks.takes(signal)) {
        kill(pid_, signal);
      }
    }
  }

  ~SrunChild() {
    if (has_terminal_) terminal_.give_to(getpgrp());
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  SrunChild(const SrunChild&) = delete;
  SrunChild& operator=(const SrunChild&) = delete;

 private:
  void begin_child(bool foreground, pid_t supervisor, const sigset_t& mask) {
    // SIGTERM, not SIGKILL: srun then cancels its step instead of leaving it to time out.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setpgid(0, 0);
    if (foreground) terminal_.give_to(getpid());
    os::restore_file_limit();
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    if (getppid() != supervisor) _exit(127);  // killed before prctl took effect
  }

  [[noreturn]] static void become(const std::vector<std::string>& command) {
    execute(command);
    const int error = errno;
    os::say(os::Severity::error, fmt::format("cannot start {}: {}; is it on PATH?", command.front(),
                                             std::strerror(error)));
    _exit(127);
  }

  // What the terminal sent just before srun's end.
  void hear_the_rest(const SrunHooks& hooks) {
    if (!interrupts_) return;
    for (auto rest = interrupts_->finish(); rest > 0; --rest) hooks.interrupted();
  }

  // Number 0 if none is pending.
  [[nodiscard]] signalfd_siginfo next_signal() const {
    signalfd_siginfo info{};
    return read(signals_.get(), &info, sizeof info) == sizeof info ? info : signalfd_siginfo{};
  }

  // The exit status once there is one; if srun is suspended, so is this process.
  std::optional<int> reap(const SrunHooks& hooks) {
    int status = 0;
    while (waitpid(pid_, &status, WNOHANG | WUNTRACED) == pid_) {
      if (!WIFSTOPPED(status)) return status;
      stopped(WSTOPSIG(status), hooks);
    }
    return std::nullopt;
  }

  void stopped(int signal, const SrunHooks& hooks) {
    // srun read the terminal from the background, and our own group is now in the foreground: the user
    // wants srun there.
    if ((signal == SIGTTIN || signal == SIGTTOU) && terminal_.is_ours()) {
      resume();
      return;
    }
    hooks.stopping();
    terminal_.give_to(getpgrp());
    raise(SIGSTOP);  // until the shell's fg or bg
    resume();
  }

  void resume() {
    if (shares_terminal_ && terminal_.is_ours()) terminal_.give_to(pid_);
    kill(-pid_, SIGCONT);
  }

  os::Terminal terminal_;
  bool has_terminal_ = terminal_.is_ours();
  bool shares_terminal_ = true;  // srun reads from the terminal
  sigset_t mask_before_{};
  os::Descriptor signals_;
  pid_t pid_ = -1;
  std::optional<os::Interrupts> interrupts_;
};

}  // namespace

Ended run_srun(const std::vector<std::string>& command, const SrunHooks& hooks) {
  SrunChild srun(command, hooks);
  hooks.started();
  return srun.wait(hooks);
}

void become_srun(const std::vector<std::string>& command) {
  set_supervisor_pid(getpid());
  execute(command);
  const int error = errno;
  throw Error(fmt::format("cannot start {}: {}; is it on PATH?",
                          text::printable_path(command.front()), std::strerror(error)));
}

int end_like(const Ended& srun) {
  if (!WIFSIGNALED(srun.wait_status)) return WEXITSTATUS(srun.wait_status);
  const int signal = WTERMSIG(srun.wait_status);
  const rlimit no_core{0, 0};  // srun's own core dump is the useful one
  setrlimit(RLIMIT_CORE, &no_core);
  std::signal(signal, SIG_DFL);
  raise(signal);
  return 128 + signal;
}

}  // namespace muster::slurm
