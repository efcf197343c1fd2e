// How far another machine's clock is ahead of this one's, measured with messages that went there and back.
// The other end read its clock at some moment in between: assuming the middle is wrong by at most half the
// round trip.
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
    Duration error{0};   // the error, in either direction
  };

  // `sent` and `received`: our clock when the message left and when its answer arrived. `theirs`: their clock
  // in the answer. An answer that seems to have arrived before its message left does not count.
  void add(Duration sent, Duration received, Duration theirs);

  // The best estimate from recent samples for this moment of our clock, because the clocks drift apart.
  [[nodiscard]] std::optional<Estimate> at(Duration ours) const;

 private:
  struct Sample {
    Duration taken;
    Estimate estimate;
  };

  std::deque<Sample> samples_;
};

}  // namespace muster::watch
