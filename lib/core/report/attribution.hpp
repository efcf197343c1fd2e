// Which of the failed ranks failed first, and whether the evidence proves it. One pure function of what is
// known of all ranks; docs/failure-report.md ("Which failure is the first") has its rules in words.
#pragma once

#include "core/report/failed_rank.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster::report {

// How much a rank's end says of why it failed.
enum class Testimony : std::uint8_t {
  blames_peer,  // it says that another rank has gone
  nothing,  // exit code 1, SIGABRT, SIGPIPE: its own error, or what a lost peer makes of a healthy rank
  own_code,  // an exit code to which a lost peer does not lead
  crashed,   // SIGSEGV and its like
  killed,    // by a signal from elsewhere, or by the kernel for memory
  says_why,  // its own exception
};
Testimony testimony_of(const RankEnd& end);

struct Attribution {
  std::size_t first = 0;  // in the failed ranks; only the likeliest where it is not certain
  bool certain = true;
  std::vector<std::size_t> suspects =
      {};                  // in the failed ranks, the likeliest first; empty if certain
  bool of_others = false;  // one of the other ranks may be the cause as well
};

struct OtherRanks {
  std::size_t ended = 0;  // by muster, before they could say anything
  std::size_t left = 0;   // with exit code 0, while others still ran
};

// `failed`: at least one, by time.
Attribution attribute(std::span<const FailedRank> failed, const OtherRanks& others);

}  // namespace muster::report
