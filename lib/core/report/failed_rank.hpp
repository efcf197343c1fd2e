// A rank that failed, or may have, when and why.
#pragma once

#include "core/report/record.hpp"

#include <chrono>
#include <string>

namespace muster::report {

// How long a process may take from its failure to its end: its peers may lose it, fail, and be gone
// before. A DataLoader waits 5 s for its workers, and a CUDA context of a large GPU takes seconds.
inline constexpr std::chrono::seconds teardown_time{10};

struct FailedRank {
  RankEnd end;
  std::string node;
  Moment time;             // of the exception where there is one, or else of the process's end
  bool lost_peer = false;  // it says that another rank has gone

  friend bool operator==(const FailedRank&, const FailedRank&) = default;
};

// The message, with all its lines; or the one line of it that the rank's own last lines have. Empty where
// none is known.
std::string exception_of(const RankEnd& end);

// That, or else how the process ended.
std::string reason_of(const RankEnd& end);

}  // namespace muster::report
