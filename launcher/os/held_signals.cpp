#include "launcher/os/held_signals.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace muster::os {
namespace {

using std::chrono::milliseconds;

constexpr std::array ending_signals{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

// As under nohup. Holding the signal back would deliver it later all the same.
bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t signals_to_hold() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : ending_signals) {
    if (!is_ignored(signal)) sigaddset(&signals, signal);
  }
  return signals;
}

}  // namespace

HeldSignals::HeldSignals() {
  const auto signals = signals_to_hold();
  descriptor_ = Descriptor(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!descriptor_) {
    throw Error(fmt::format("cannot wait for signals: {}; see ulimit -n", std::strerror(errno)));
  }
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

HeldSignals::~HeldSignals() {
  let_through();
}

void HeldSignals::let_through() {
  if (!held_) return;
  held_ = false;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> HeldSignals::take_until(Clock::time_point time) const {
  interrupted_before(time, descriptor());
  signalfd_siginfo info{};
  if (read(descriptor(), &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

bool interrupted_before(std::chrono::steady_clock::time_point time, int descriptor) {
  constexpr milliseconds longest = std::chrono::hours{1};
  while (true) {
    // The smallest value of Clock must not overflow here.
    const auto now = std::chrono::steady_clock::now();
    const auto left = time <= now ? milliseconds{0} : std::chrono::ceil<milliseconds>(time - now);
    pollfd source{descriptor, POLLIN, 0};
    if (poll(&source, 1, static_cast<int>(std::min(left, longest).count())) > 0) return true;
    if (left.count() == 0) return false;
  }
}

}  // namespace muster::os
