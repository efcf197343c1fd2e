// Whether there is another attempt, and when. Pure.
#pragma once

#include "core/report/report.hpp"
#include "core/restart/past.hpp"

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace muster::restart {

struct Rules {
  std::uint32_t restarts = 0;                // at most so many after the first attempt
  std::vector<std::uint32_t> norestart{93};  // exit codes after which there is none
};

struct Decision {
  bool again = false;
  // For the user, one clause: "all 3 restarts are used up", "exit code 93 ends the job". Of a
  // decision to go on it is empty, or says why it waits. Empty, too, where the report says it all,
  // and without restarts=.
  std::string why;
  std::chrono::nanoseconds pause{0};  // before the next attempt: back-off when attempts die young

  friend bool operator==(const Decision&, const Decision&) = default;
};

// `past`: every attempt so far, the one of `last` at the end; never empty.
//
// A launch that failed ends the job only while no rank of it has ever started: later it is mostly a
// node that has gone in between.
Decision decide(const Rules& rules, std::span<const Past> past, const report::Report& last);

// All ranks that ended by themselves have the same error of a program that cannot start: it would
// fail again, so that nobody need ask decide(). `record` is the attempt's. A step that ran for longer
// in one of the `earlier` attempts can start: then a node lacks something.
bool cannot_start(const report::Record& record, const report::Report& report,
                  std::span<const Past> earlier = {});

}  // namespace muster::restart
