// What follows an attempt that has ended: another one, when and on which nodes, or the end of the run, and
// with which exit code. Pure: values in, values out. RestartLoop (launcher/supervisor/attempts) asks Slurm
// and the nodes, calls these functions in turn, and does what they say.
#pragma once

#include "core/report/record.hpp"
#include "core/report/report.hpp"
#include "core/restart/attempt_history.hpp"
#include "core/restart/decision.hpp"
#include "core/restart/nodes.hpp"
#include "core/restart/step_shape.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace muster::restart {

// An attempt that has ended, as far as the plan depends on it.
struct EndedAttempt {
  report::Record record = {};
  report::Report report = {};  // made from the record
  bool stopped = false;        // muster stopped the ranks because of stop=
  std::string lost_input =
      {};  // why the next attempt cannot read the standard input again; empty if it can
};

// There is no further attempt in this allocation.
struct Finish {
  std::string why = {};        // for the user, one clause; empty if the report says it all
  bool too_few_nodes = false;  // for another attempt: a requeue may help
  // The nodes that could have been used. Empty if they were too few, or were not looked at.
  std::vector<std::string> nodes = {};

  friend bool operator==(const Finish&, const Finish&) = default;
};

// There is another attempt if the job has the nodes for it: they have to be looked at.
struct Retry {
  std::string line;                   // for the user: what has failed
  std::chrono::nanoseconds delay{0};  // from now until the attempt may start

  friend bool operator==(const Retry&, const Retry&) = default;
};

// `past`: every attempt so far, the one that has ended last; never empty.
std::variant<Finish, Retry> plan_next(const Rules& rules, std::span<const AttemptHistory> past,
                                      const EndedAttempt& attempt);

// Where an attempt runs.
struct Placement {
  std::vector<std::string> nodes =
      {};  // in the order of their ranks; empty: where srun's own options say
  std::vector<std::string> spares =
      {};  // kept ready meanwhile, in the order in which they would be used
  std::optional<std::uint32_t> tasks_per_node =
      {};                     // no value if it is unknown or differs between the nodes
  bool shares_cores = false;  // with an earlier step that Slurm still has there

  friend bool operator==(const Placement&, const Placement&) = default;
};

// The job's nodes, as they have just been looked at.
struct LookedAt {
  // No value if nobody knows which nodes the job has: the next attempt then runs where the last one ran.
  std::optional<std::vector<Candidate>> candidates = {};
  bool last_look = false;  // the delay is over, so a lost node has had its time to come back
};

// The nodes do not suffice yet: look at them once more when the delay is over.
struct LookAgain {
  friend bool operator==(const LookAgain&, const LookAgain&) = default;
};

// The next attempt starts as soon as the delay is over.
struct Start {
  std::string line = {};                 // for the user: which restart it is, and on which nodes
  std::vector<std::string> nodes = {};   // as in Placement
  std::vector<std::string> spares = {};  // likewise
  std::optional<std::uint32_t> tasks_per_node = {};  // likewise
  bool on_other_nodes = false;                       // than the attempt before

  friend bool operator==(const Start&, const Start&) = default;
};

// As many nodes as the attempt of `record` had, unless the user has asked for a range.
Size size_after(const StepShape& shape, const report::Record& record);

// `record`: of the attempt that has ended, which ran at `before`.
std::variant<Finish, LookAgain, Start> plan_nodes(const Rules& rules, const StepShape& shape,
                                                  const Placement& before,
                                                  const report::Record& record,
                                                  const LookedAt& nodes);

// Where the attempt runs, and whether that needs other options of srun's than the attempt before.
struct Move {
  Placement placement;
  bool new_options = false;

  friend bool operator==(const Move&, const Move&) = default;
};

// `old_step_remains`: Slurm has not cleared up an earlier step of the job, whose cores the attempt must
// share.
Move move_to(const Start& start, const Placement& before, bool old_step_remains);

// How the run has ended.
struct RunEnd {
  std::optional<int> interrupted = {};  // the exit code after a signal between two attempts
  std::optional<int> report_code =
      {};  // of the report that was shown; no value if srun's end is the run's
  // srun's, as from waitpid. No value for an attempt that began under a supervisor that has died.
  std::optional<int> wait_status = {};
  bool srun_killed = false;     // by muster, since srun could not end by itself
  bool own_allocation = false;  // salloc is above this process, and would turn a signal into 0 or 1
};

// The exit code of this process. No value: it ends as srun has ended, by the same signal.
std::optional<int> exit_code(const RunEnd& end);

}  // namespace muster::restart
