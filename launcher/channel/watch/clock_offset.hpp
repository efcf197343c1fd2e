// How far another machine's clock is ahead of this one's, by messages that went there and back. The
// other end read its clock somewhere in between: taking the middle is wrong by at most half the way.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>

namespace muster::watch {

class ClockOffset {
 public:
  using Duration = std::chrono::nanoseconds;

  struct Estimate {
    Duration offset{0};  // theirs - ours
    Duration error{0};   // either way
  };

  // Our clock when the message left and when its answer came, and theirs in the answer. An answer
  // that came before its message left is no sample.
  void add(Duration sent, Duration received, Duration theirs);

  // The best of the last samples for this moment of our clock: the clocks drift apart meanwhile.
  [[nodiscard]] std::optional<Estimate> at(Duration ours) const;

 private:
  struct Sample {
    Duration taken;
    Estimate estimate;
  };

  std::deque<Sample> samples_;
};

}  // namespace muster::watch
