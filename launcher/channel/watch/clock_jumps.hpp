// Compares this machine's other clocks with its monotonic clock to find out whether it was suspended while
// the monotonic clock stopped: in a suspend, or in a migration to another host, after which the wall clock is
// set forward.
#pragma once

#include <chrono>
#include <optional>

namespace muster::watch {

class ClockJumps {
 public:
  struct Readings {
    std::chrono::nanoseconds monotonic{0};
    std::chrono::nanoseconds boot{0};  // keeps running while the machine is suspended
    std::chrono::nanoseconds wall{0};
  };

  explicit ClockJumps(std::chrono::nanoseconds least) : least_(least) {}

  // How far another clock has moved ahead of the monotonic one since the last call; 0 if that is less than
  // `least`, as when a time server corrects a clock. A wall clock that is set back reveals nothing.
  std::chrono::nanoseconds look(const Readings& now);

  static Readings read();

 private:
  const std::chrono::nanoseconds least_;
  std::optional<Readings> last_;
};

}  // namespace muster::watch
