// Which of the failed ranks failed first, and whether the evidence proves it: one pure function of what is
// known about all ranks. docs/explain/first-failure.md explains its rules.
#pragma once

#include "core/report/failed_rank.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster::report {

// How much a rank's end says about why it failed.
enum class Testimony : std::uint8_t {
  blames_peer,  // it says that another rank is gone
  nothing,  // exit code 1, SIGABRT, SIGPIPE: its own error, or the effect of a lost peer on a healthy rank
  own_code,  // another exit code: few programs exit with one when they lose a peer
  crashed,   // SIGSEGV and similar signals
  killed,    // by a signal from elsewhere, or by the kernel because of memory
  says_why,  // its own exception
};
Testimony testimony_of(const RankEnd& end);

// A signal from outside, such as scancel's, reaches the nodes one after the other. If muster stopped the
// others as soon as the first rank died of it, it could not tell that signal from a failure.
inline constexpr std::chrono::milliseconds outside_signals_spread{100};
// The rank may merely have lost a peer, whose sockets close before its process ends. How the other ranks end
// shows which is the case, but a rank that muster stops says nothing.
inline constexpr std::chrono::milliseconds peers_lead{200};

// How long to leave the other ranks alone after this failure, so that an earlier cause can still be reported.
// `is_first`: no failure has been reported before it.
std::chrono::milliseconds ending_delay(const RankEnd& end, bool is_first);

struct Attribution {
  std::size_t first = 0;  // index into the failed ranks; the likeliest one if not certain
  bool certain = true;
  std::vector<std::size_t> suspects =
      {};                  // indexes into the failed ranks, the likeliest first; empty if certain
  bool of_others = false;  // one of the other ranks may also be the cause
};

struct OtherRanks {
  std::size_t ended = 0;  // ranks that muster stopped before they could say anything
  std::size_t left = 0;   // ranks that exited with code 0 while others still ran
};

// `failed`: at least one, by time.
Attribution attribute(std::span<const FailedRank> failed, const OtherRanks& others);

}  // namespace muster::report
