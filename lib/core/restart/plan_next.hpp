// What follows an attempt that has ended: another one, when and on which nodes, or the end of the run, and
// with which exit code. Pure: RestartLoop (launcher/supervisor/attempts) queries Slurm and the nodes, calls
// these functions in turn, and does what they say.
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

// An attempt that has ended: the facts that the plan depends on.
struct EndedAttempt {
  report::Record record = {};
  report::Report report = {};             // made from the record
  bool stopped = false;                   // muster stopped the ranks because of stop=
  std::vector<std::string> drained = {};  // likewise, because of drain=: to leave these nodes
  std::string lost_input =
      {};  // why the next attempt cannot read standard input again; empty if it can
};

// There is no further attempt in this allocation.
struct Finish {
  std::string why = {};        // for the user, one clause; empty if the report says everything
  bool too_few_nodes = false;  // for another attempt: a requeue may help
  // The nodes that could have been used. Empty if there were too few, or if they were not examined.
  std::vector<std::string> nodes = {};

  friend bool operator==(const Finish&, const Finish&) = default;
};

// There is another attempt if the job has the nodes for it, which have yet to be examined.
struct Retry {
  std::string line;                   // for the user: what failed
  std::chrono::nanoseconds delay{0};  // from now until the attempt may start

  friend bool operator==(const Retry&, const Retry&) = default;
};

// `past`: every attempt so far, ending with the one that has just ended; never empty.
std::variant<Finish, Retry> plan_next(const Rules& rules, std::span<const AttemptHistory> past,
                                      const EndedAttempt& attempt);

// Where an attempt runs.
struct Placement {
  std::vector<std::string> nodes = {};  // in rank order; empty: where srun's own options say
  std::vector<std::string> spares =
      {};  // kept ready in the meantime, in the order in which they would be used
  std::optional<std::uint32_t> tasks_per_node =
      {};  // no value if it is unknown or differs between the nodes
  // Shares them with an earlier step that Slurm still has on those nodes.
  bool shares_cores = false;

  friend bool operator==(const Placement&, const Placement&) = default;
};

// The job's nodes, as just examined.
struct LookedAt {
  // No value if it is unknown which nodes the job has: the next attempt then runs where the last one ran.
  std::optional<std::vector<Candidate>> candidates = {};
  bool last_look = false;  // the delay is over, so a lost node has had its chance to come back
  // The node that manages the job's steps (slurm::Job::step_manager), if it is lost; otherwise empty.
  std::string lost_manager = {};
};

// There are not yet enough nodes: examine them again when the delay is over.
struct LookAgain {
  friend bool operator==(const LookAgain&, const LookAgain&) = default;
};

// The next attempt starts as soon as the delay is over.
struct Start {
  std::string line = {};                 // for the user: which restart this is, and on which nodes
  std::vector<std::string> nodes = {};   // as in Placement
  std::vector<std::string> spares = {};  // likewise
  std::optional<std::uint32_t> tasks_per_node = {};  // likewise
  bool on_other_nodes = false;                       // other than in the previous attempt

  friend bool operator==(const Start&, const Start&) = default;
};

// As many nodes as the attempt of `record` had, unless the user asked for a range.
Size size_after(const StepShape& shape, const report::Record& record);

// `record`: of the attempt that has ended, which was placed at `before`.
std::variant<Finish, LookAgain, Start> plan_nodes(const Rules& rules, const StepShape& shape,
                                                  const Placement& before,
                                                  const report::Record& record,
                                                  const LookedAt& nodes);

// Where the attempt runs, and whether that requires different srun options from the previous attempt.
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
      {};  // from the report that was shown; no value if srun's end decides
  // srun's, as from waitpid. No value for an attempt that was started by a supervisor that has died.
  std::optional<int> wait_status = {};
  bool srun_killed = false;  // by muster, because srun could not exit by itself
  // This process runs under salloc, which would turn a signal into 0 or 1.
  bool own_allocation = false;
};

// The exit code of this process. No value: it ends the way srun did, by the same signal.
std::optional<int> exit_code(const RunEnd& end);

}  // namespace muster::restart
