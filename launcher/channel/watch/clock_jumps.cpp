#include "launcher/channel/watch/clock_jumps.hpp"

#include <algorithm>
#include <ctime>

namespace muster::watch {
namespace {

using std::chrono::nanoseconds;

nanoseconds time_by(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

}  // namespace

nanoseconds ClockJumps::look(const Readings& now) {
  const auto before = last_.value_or(now);
  last_ = now;
  const auto passed = now.monotonic - before.monotonic;
  const auto ahead = std::max(now.boot - before.boot, now.wall - before.wall) - passed;
  return ahead >= least_ ? ahead : nanoseconds{0};
}

ClockJumps::Readings ClockJumps::read() {
  return {time_by(CLOCK_MONOTONIC), time_by(CLOCK_BOOTTIME), time_by(CLOCK_REALTIME)};
}

}  // namespace muster::watch
