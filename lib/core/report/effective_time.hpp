// The share of the time in which all ranks were running, over all attempts, and what the rest was spent on.
#pragma once

#include "core/report/report.hpp"

#include <chrono>
#include <span>
#include <string>

namespace muster::report {

// The parts add up to `wall`, from the first launch to the end of the last attempt.
struct EffectiveTime {
  std::chrono::nanoseconds wall{0};
  std::chrono::nanoseconds all_ran{0};  // all ranks of an attempt were running
  std::chrono::nanoseconds start{0};    // from a launch until all ranks were running
  std::chrono::nanoseconds detection{
      0};                              // from a failure until muster began to stop the other ranks
  std::chrono::nanoseconds stop{0};    // from then until the attempt had ended
  std::chrono::nanoseconds pauses{0};  // until the next launch

  friend bool operator==(const EffectiveTime&, const EffectiveTime&) = default;
};

// Time during which the supervisor was suspended is not in any part. An attempt may be launched before the
// previous one has completely ended.
EffectiveTime effective_time(std::span<const AttemptSummary> attempts);

// The share of all_ran in `wall`, from 0 to 1.
double effective_share(const EffectiveTime& time);

// "all ranks ran 85.3 % of 40.1 s; start 3.0 s, detection 1.0 s, stop 300 ms, pauses 2.1 s".
std::string effective_text(std::span<const AttemptSummary> attempts);

}  // namespace muster::report
