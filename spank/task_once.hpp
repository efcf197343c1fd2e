// Something that one task of the node does for all of them: the first task does it, and the others wait until
// it is done. A line about a failure common to all tasks is written this way: the first task that exits ends
// the step, and the line must have been written by then.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace muster::spank {

class TaskOnce {
 public:
  // Called in slurmstepd before it forks the tasks: maps the page that they share. Only tasks read it.
  void share() noexcept;

  // Called in a task. Returns false if there is no such page and nothing was done.
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
