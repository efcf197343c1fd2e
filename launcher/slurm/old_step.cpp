#include "launcher/slurm/old_step.hpp"

#include "core/contains.hpp"
#include "launcher/slurm/ask.hpp"

#include <thread>

namespace muster::slurm {

bool step_remains(const std::string& step, std::chrono::milliseconds timeout) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds interval{50};
  const auto deadline = Clock::now() + timeout;
  const auto job = step.substr(0, step.find('.'));
  const auto task = ask_task_name(job);
  while (true) {
    const auto steps = running_steps(job, task);
    if (!contains(steps, step)) return false;
    if (Clock::now() >= deadline) return true;
    std::this_thread::sleep_for(interval);
  }
}

}  // namespace muster::slurm
