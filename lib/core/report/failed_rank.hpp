// A rank that failed or may have failed, when and why. What is known about it: record.hpp. Its lines in the
// report: first_failure_text.cpp and aftermath_text.cpp.
#pragma once

#include "core/report/record.hpp"

#include <chrono>
#include <string>

namespace muster::report {

// How long a process may take from its failure to its end. Its peers may lose it, fail and end before it. A
// DataLoader waits 5 s for its workers, and a CUDA context on a large GPU takes seconds to close.
inline constexpr std::chrono::seconds teardown_time{10};

struct FailedRank {
  RankEnd end;
  std::string node;
  Moment time;  // when the exception was raised, if there is one, otherwise when the process ended
  bool lost_peer = false;  // it says that another rank is gone

  friend bool operator==(const FailedRank&, const FailedRank&) = default;
};

// The full message, or the one line of it that is among the rank's last lines: an exception's, or what the
// rank wrote when it aborted, which says more than the name of a signal. Empty if none is known.
std::string exception_of(const RankEnd& end);

// The message, or otherwise a description of how the process ended.
std::string reason_of(const RankEnd& end);

}  // namespace muster::report
