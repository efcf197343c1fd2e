// Tells by the other clocks of this machine that it has slept while its monotonic clock stood still: in a
// suspend, and in a migration to another host, after which the wall clock is set forward.
#pragma once

#include <chrono>
#include <optional>

namespace muster::watch {

class ClockJumps {
 public:
  struct Readings {
    std::chrono::nanoseconds monotonic{0};
    std::chrono::nanoseconds boot{0};  // keeps running during a suspend
    std::chrono::nanoseconds wall{0};
  };

  explicit ClockJumps(std::chrono::nanoseconds least) : least_(least) {}

  // By how much a clock has gone ahead of the monotonic one since the last look; 0 where it is less than
  // `least`, as a clock is that a time server corrects. A wall clock that is set back tells nothing.
  std::chrono::nanoseconds look(const Readings& now);

  static Readings read();

 private:
  const std::chrono::nanoseconds least_;
  std::optional<Readings> last_;
};

}  // namespace muster::watch
