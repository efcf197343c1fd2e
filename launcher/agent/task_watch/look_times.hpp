// When a watch looks at a node's tasks: soon, then less and less often, then no more.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

namespace muster::task_watch {

// How long the supervisor may take to accept a notice: less than the time for which a task's exit may wait
// for the agent.
inline constexpr std::chrono::seconds notice_timeout{1};

class LookTimes {
 public:
  using Clock = std::chrono::steady_clock;

  // Each interval is counted from the previous look.
  static constexpr std::array<std::chrono::seconds, 7> intervals{
      std::chrono::seconds{1}, std::chrono::seconds{2},  std::chrono::seconds{4},
      std::chrono::seconds{8}, std::chrono::seconds{16}, std::chrono::seconds{32},
      std::chrono::seconds{60}};

  // The first look is due after the first interval.
  void start() { next_ = Clock::now() + intervals.front(); }

  void looked() {
    if (++looks_ < intervals.size()) next_ = Clock::now() + intervals.at(looks_);
  }

  void stop() { looks_ = intervals.size(); }

  // No value when the watch is over.
  [[nodiscard]] std::optional<Clock::time_point> next() const {
    return looks_ < intervals.size() ? std::optional(next_) : std::nullopt;
  }

 private:
  std::size_t looks_ = 0;
  Clock::time_point next_;
};

}  // namespace muster::task_watch
