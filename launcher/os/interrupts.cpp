#include "launcher/os/interrupts.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <initializer_list>

#include <unistd.h>

namespace muster::os {
namespace {

constexpr std::chrono::milliseconds exit_timeout{500};

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

// Blocks every signal in this thread for as long as it lives.
class AllBlocked {
 public:
  AllBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  AllBlocked(const AllBlocked&) = delete;
  AllBlocked& operator=(const AllBlocked&) = delete;
  ~AllBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// It is one of the group's processes, and must be none that ends with the others or is stopped with them: it
// starts with every signal blocked. It tells by a signal of which none is lost. SIGINT is taken before
// SIGTERM.
void tell(pid_t group, pid_t listener) {
  if (setpgid(0, group) != 0) return;
  const auto awaited = set_of({SIGINT, SIGTERM});
  int signal = 0;
  while (sigwait(&awaited, &signal) == 0 && signal == SIGINT) kill(listener, SIGRTMIN);
}

}  // namespace

Interrupts::Interrupts(pid_t group) {
  const AllBlocked blocked;
  child_.emplace([group, listener = getpid()] { tell(group, listener); });
  id_ = child_->pid();
  if (id_ > 0) setpgid(id_, group);  // both sides set it, because either may run first
}

bool Interrupts::told_by(const signalfd_siginfo& signal) const {
  return signal.ssi_signo == static_cast<std::uint32_t>(SIGRTMIN) && id_ > 0 &&
         signal.ssi_pid == static_cast<std::uint32_t>(id_);
}

std::size_t Interrupts::finish() {
  if (child_->runs()) {
    kill(id_, SIGTERM);
    child_->wait_until(std::chrono::steady_clock::now() + exit_timeout);
  }
  const auto told = set_of({SIGRTMIN});
  constexpr timespec at_once{};
  std::size_t count = 0;
  siginfo_t info{};
  while (sigtimedwait(&told, &info, &at_once) == SIGRTMIN) {
    if (info.si_pid == id_) ++count;
  }
  return count;
}

}  // namespace muster::os
