// Whether there is another attempt, and after which delay. Pure. The rules come from the keys, in
// launcher/supervisor/attempts/restart_loop.cpp.
#pragma once

#include "core/report/report.hpp"
#include "core/restart/attempt_history.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::restart {

struct Rules {
  std::uint32_t restarts = 0;                // at most this many attempts after the first
  std::vector<std::uint32_t> norestart{93};  // exit codes after which there is no restart
  std::uint32_t requeue = 0;  // each requeue of the job allows as many restarts again
};

struct Decision {
  bool again = false;
  // For the user, one clause: "all 3 restarts are used up", "exit code 93 ends the job". If there is another
  // attempt, says why it has to wait, or is empty. Also empty if the report says everything, or if restarts=
  // is not used.
  std::string why;
  std::chrono::nanoseconds pause{
      0};  // back-off before the next attempt, if attempts fail soon after their start

  friend bool operator==(const Decision&, const Decision&) = default;
};

// `past`: every attempt so far, the attempt of `last` at the end; never empty.
//
// A failed launch ends the job only if no rank of the job has ever started. Later, the cause is usually a
// node that was lost in between.
Decision decide(const Rules& rules, std::span<const AttemptHistory> past,
                const report::Report& last);

// Whether the ranks that ended by themselves have the same error of a program that cannot start, so that it
// would fail again, whatever decide() says. In a step of several nodes, the ranks of one node do not prove
// that: a second node must have the same error, or the attempt before must have had it. `record` is the
// attempt's. If the program ran for longer in one of the `earlier` attempts, it can start, and something is
// missing on a node.
bool cannot_start(const report::Record& record, const report::Report& report,
                  std::span<const AttemptHistory> earlier = {});

// A start-up error that only one of several nodes had: the node may lack something.
std::optional<LoneStartError> lone_start_error(const report::Record& record,
                                               const report::Report& report);

}  // namespace muster::restart
