#include "launcher/os/interrupts.hpp"

#include <csignal>
#include <cstdint>

#include <unistd.h>

namespace muster::os {
namespace {

// It is one of the group's processes, and must be none that ends with the others or is stopped with them.
void tell(pid_t group, pid_t listener) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  if (setpgid(0, group) != 0) return;
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  int signal = 0;
  while (sigwait(&interrupt, &signal) == 0) kill(listener, SIGINT);
}

}  // namespace

Interrupts::Interrupts(pid_t group)
    : child_([group, listener = getpid()] { tell(group, listener); }) {}

bool Interrupts::told_by(const signalfd_siginfo& signal) const {
  return signal.ssi_signo == SIGINT && child_.pid() > 0 &&
         signal.ssi_pid == static_cast<std::uint32_t>(child_.pid());
}

}  // namespace muster::os
