// Describes a hang: which ranks, according to a dump, probably are holding the others up. Pure.
#pragma once

#include "core/dump/groups.hpp"
#include "core/option/value_types.hpp"

#include <chrono>
#include <string>

namespace muster::hang {

// One line, with hint() at its end; empty if nothing is known.
std::string suspects(const dump::Dump& dump);

// Before the suspects, those that have not come to the rendezvous. `rendezvous`: of a Sample.
std::string with_rendezvous(const std::string& rendezvous, const std::string& suspects);

// The node of the first suspect; empty if there is none.
std::string suspected_node(const dump::Dump& dump);

// "hang=10: no rank has made progress for 10.2 min (since 20:14:03 UTC): rank 12 on node1: stopped ...". If
// something still moves: "no collective has ended for ..., and every rank is in one, ...". `found`:
// suspects(), or why there is no dump.
struct Silence {
  std::chrono::nanoseconds time;
  bool by_collectives = false;
};
std::string line(const option::Hang& rule, const Silence& silence,
                 std::chrono::system_clock::time_point now, const std::string& found);

// For a hang that was already over when the dump was taken, although `rule` would have ended the step.
std::string moved_again_text(const option::Hang& rule);

}  // namespace muster::hang
