// What one task of the node does for all of them: the first that comes, while the others wait until it
// is done. A line about a failure that all tasks have in common is written this way: the first task that
// exits ends the step, and the line has to be out by then.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace muster::spank {

class TaskOnce {
 public:
  // In slurmstepd, before it forks the tasks: maps the page that they share. Only tasks read it.
  void share() noexcept;

  // In a task. False where there is no such page, and nothing was done.
  bool run(const std::function<void()>& action);

 private:
  enum class State : std::uint32_t { open, running, done };
  using Shared = std::atomic<State>;
  static_assert(Shared::is_always_lock_free);
  struct Unmap {
    void operator()(Shared* page) const noexcept;
  };
  std::unique_ptr<Shared, Unmap> state_;
};

}  // namespace muster::spank
