#include "launcher/allocation/old_step.hpp"

#include "launcher/allocation/hostless_job.hpp"

#include <algorithm>
#include <thread>

namespace muster::allocation {

bool step_remains(const std::string& step, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds interval{50};
  const auto deadline = Clock::now() + patience;
  const auto dot = step.find('.');
  // Of an array's task scontrol names the array: only the step's number is the same.
  const auto is_it = [number = step.substr(std::min(dot, step.size()))](const std::string& shown) {
    return shown.ends_with(number);
  };
  while (true) {
    const auto steps = running_steps(step.substr(0, dot));
    if (std::ranges::none_of(steps, is_it)) return false;
    if (Clock::now() >= deadline) return true;
    std::this_thread::sleep_for(interval);
  }
}

}  // namespace muster::allocation
