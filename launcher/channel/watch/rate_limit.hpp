// Limits what a node may send: a burst, and an amount per second. An honest agent stays far below both.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace muster::watch {

class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;

  // False if this is more than allowed. A short message costs as much work as one of `least` bytes.
  bool take(std::size_t bytes, Clock::time_point now) {
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    left_ = std::min(at_once, left_ + passed.count() * a_second);
    left_ -= static_cast<double>(std::max(bytes, least));
    return left_ >= 0;
  }

 private:
  static constexpr double at_once = 8 << 20;
  static constexpr double a_second = 128 << 10;
  static constexpr std::size_t least = 512;

  double left_ = at_once;
  Clock::time_point last_;
};

}  // namespace muster::watch
