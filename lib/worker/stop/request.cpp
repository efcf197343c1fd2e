#include "worker/stop/request.hpp"

#include "worker/error.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string>

#include <unistd.h>

namespace muster::worker::stop {
namespace {

// Written once, before the handler is installed, so that the handler may read it at any time.
struct Counted {
  struct sigaction previous {};
  std::atomic<bool> installed{false};
  std::atomic<bool> used{false};
};

std::array<Counted, NSIG> counted;
std::atomic<pid_t> owner{0};  // a forked child inherits the handlers, but is a different process
std::atomic<bool> any{false};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

bool is_owner() noexcept {
  return owner.load(std::memory_order_relaxed) == ::getpid();
}

// Acts as if this handler did not exist: the signal is blocked at this point, and ends the process once the
// handler has returned.
void end_by(int signal) noexcept {
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

// Calls the program's earlier handler as the kernel would have called it.
void pass_on(int signal, siginfo_t* info, void* context) {
  auto& mine = counted[static_cast<std::size_t>(signal)];
  const auto& previous = mine.previous;
  const bool spent =
      (previous.sa_flags & static_cast<int>(SA_RESETHAND)) != 0 && mine.used.exchange(true);
  if (spent || previous.sa_handler == SIG_DFL) {
    if (!is_owner()) end_by(signal);
  } else if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  }
}

void handle(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  if (is_owner()) any.store(true, std::memory_order_relaxed);
  pass_on(signal, info, context);
  errno = saved;
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handle;
}

struct sigaction beside(const struct sigaction& previous) {
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) return action;
  // If the program has made a choice about restarting interrupted calls, that choice is kept.
  action.sa_flags = SA_SIGINFO | (previous.sa_flags & (SA_RESTART | SA_ONSTACK | SA_NODEFER));
  action.sa_mask = previous.sa_mask;
  return action;
}

void check(int status) {
  if (status == 0) return;
  throw Error{MUSTER_ERR_INTERNAL, std::string{"sigaction failed: "} + std::strerror(errno)};
}

void count_one(int signal) {
  auto& mine = counted[static_cast<std::size_t>(signal)];
  struct sigaction current {};
  check(::sigaction(signal, nullptr, &current));
  if (is_ours(current)) return;
  if (mine.installed) {
    throw Error{MUSTER_ERR_STATE,
                std::string{"the program has installed another handler for '"} +
                    ::strsignal(signal) +
                    "' after muster_stop_on(); install it before the first muster_stop_on()"};
  }
  mine.previous = current;
  mine.installed = true;
  const auto action = beside(current);
  check(::sigaction(signal, &action, nullptr));
}

}  // namespace

void count(std::span<const int> signals) {
  static std::mutex one_caller;
  const std::lock_guard lock{one_caller};
  if (!is_owner()) {
    any = false;  // the parent received the signal
    owner = ::getpid();
  }
  for (const int signal : signals) count_one(signal);
}

bool requested() noexcept {
  return any.load(std::memory_order_relaxed) && is_owner();
}

}  // namespace muster::worker::stop
