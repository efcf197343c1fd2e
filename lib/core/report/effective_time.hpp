// For how much of the time all ranks ran, over all attempts, and on what the rest was spent.
#pragma once

#include "core/report/report.hpp"

#include <chrono>
#include <span>
#include <string>

namespace muster::report {

// The parts add up to `wall`, from the first launch to the end of the last attempt.
struct EffectiveTime {
  std::chrono::nanoseconds wall{0};
  std::chrono::nanoseconds all_ran{0};  // all ranks of an attempt
  std::chrono::nanoseconds start{0};    // from a launch until all ranks ran
  std::chrono::nanoseconds detection{
      0};                              // from a failure until muster began to stop the other ranks
  std::chrono::nanoseconds stop{0};    // from then until the attempt was over
  std::chrono::nanoseconds pauses{0};  // until the next launch

  friend bool operator==(const EffectiveTime&, const EffectiveTime&) = default;
};

// The time for which the supervisor slept is in no part. An attempt may be launched before the last one is
// completely over.
EffectiveTime effective_time(std::span<const AttemptSummary> attempts);

// The share of all_ran in `wall`, from 0 to 1.
double effective_share(const EffectiveTime& time);

// "all ranks ran 85.3 % of 40.1 s; start 3.0 s, detection 1.0 s, stop 300 ms, pauses 2.1 s".
std::string effective_text(std::span<const AttemptSummary> attempts);

}  // namespace muster::report
