#include "worker/pmix/bounded.hpp"

#include <condition_variable>
#include <csignal>
#include <memory>
#include <mutex>
#include <thread>

namespace muster::worker::pmix {
namespace {

struct Running {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<int> result;
};

// Blocks signals in this thread, because they are meant for the program's own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

std::thread start(const std::shared_ptr<Running>& running, std::function<int()> call) {
  const SignalsBlocked blocked;
  return std::thread{[running, call = std::move(call)] {
    const int result = call();
    const std::scoped_lock lock{running->mutex};
    running->result = result;
    running->changed.notify_all();
  }};
}

}  // namespace

std::optional<int> run_bounded(std::function<int()> call, const Deadline& deadline) {
  const auto running = std::make_shared<Running>();
  auto thread = start(running, std::move(call));
  std::unique_lock lock{running->mutex};
  const bool done = running->changed.wait_until(lock, deadline.end(),
                                                [&] { return running->result.has_value(); });
  lock.unlock();
  if (done) {
    thread.join();
  } else {
    thread.detach();
  }
  return done ? running->result : std::nullopt;
}

}  // namespace muster::worker::pmix
