#include "spank/task_once.hpp"

#include <chrono>
#include <new>
#include <thread>

#include <sys/mman.h>

namespace muster::spank {
namespace {

// How long a task waits for the first one, which may have been killed in the meantime.
constexpr std::chrono::seconds timeout{2};
constexpr std::chrono::milliseconds interval{1};

}  // namespace

void TaskOnce::share() noexcept {
  void* page =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) state_.reset(::new (page) Shared(State::open));
}

bool TaskOnce::run(const std::function<void()>& action) {
  if (!state_) return false;
  auto found = State::open;
  if (state_->compare_exchange_strong(found, State::running)) {
    action();
    state_->store(State::done);
    return true;
  }
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (state_->load() != State::done && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(interval);
  }
  return true;
}

void TaskOnce::Unmap::operator()(Shared* page) const noexcept {
  munmap(page, sizeof(Shared));
}

}  // namespace muster::spank
