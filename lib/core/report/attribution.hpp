// Which of the failed ranks failed first, and whether the evidence proves it. One pure function of what is
// known of all ranks; docs/failure-report.md ("Which failure is the first") has its rules in words.
#pragma once

#include "core/report/failed_rank.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster::report {

// How much a rank's end says of why it failed.
enum class Testimony : std::uint8_t {
  blames_peer,  // it says that another rank has gone
  nothing,  // exit code 1, SIGABRT, SIGPIPE: its own error, or what a lost peer makes of a healthy rank
  own_code,  // another exit code: few programs turn a lost peer into one
  crashed,   // SIGSEGV and its like
  killed,    // by a signal from elsewhere, or by the kernel for memory
  says_why,  // its own exception
};
Testimony testimony_of(const RankEnd& end);

// A signal from outside, such as scancel's, reaches the nodes one after the other. If the first rank that
// dies of it ended the others, nobody could tell the two apart.
inline constexpr std::chrono::milliseconds outside_signals_spread{100};
// The rank may only have lost a peer, whose sockets close before it has ended. How the others end tells the
// two apart, and a rank that muster ends says nothing.
inline constexpr std::chrono::milliseconds peers_lead{200};

// How long the other ranks are left alone after this failure, so that an earlier cause may still be heard.
// `is_first`: no failure has been heard before it.
std::chrono::milliseconds ending_delay(const RankEnd& end, bool is_first);

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
