// The time by which a call must end, and how long the call has been running.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>

namespace muster::worker {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Deadline(std::chrono::milliseconds from_now)
      : start_(Clock::now()), end_(start_ + from_now) {}

  Clock::time_point end() const { return end_; }
  bool passed() const { return Clock::now() >= end_; }

  // Never negative.
  std::chrono::milliseconds left() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now());
    return std::max(left, std::chrono::milliseconds{0});
  }

  // The time since the call began: "12.3 s".
  std::string elapsed() const;

  // The same start, but an end that is `before` earlier: leaves time to report a failure.
  Deadline earlier(std::chrono::milliseconds before) const {
    Deadline copy = *this;
    copy.end_ = std::max(start_, end_ - before);
    return copy;
  }

 private:
  Clock::time_point start_;
  Clock::time_point end_;
};

}  // namespace muster::worker
