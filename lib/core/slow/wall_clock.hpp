// A node's wall clock, converted to its monotonic clock: torch notes times by the wall clock, which may be
// set.
#pragma once

#include <chrono>
#include <optional>

namespace muster::slow {

class WallClock {
 public:
  using Time = std::chrono::nanoseconds;

  // Both clocks, read at the same moment. Call it at each look at the ranks. Returns whether the wall clock
  // has been set since the last call: then no earlier time can be converted.
  bool read(Time wall, Time monotonic);

  // No value for a time before the wall clock was last set, or that lies in the future.
  [[nodiscard]] std::optional<Time> monotonic(Time wall) const;

 private:
  struct Reading {
    Time wall;
    Time ahead;  // the wall clock is ahead by this
  };
  std::optional<Reading> earlier_;
  std::optional<Reading> latest_;
};

}  // namespace muster::slow
