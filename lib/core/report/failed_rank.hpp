// A rank that failed, or may have, and when.
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

}  // namespace muster::report
