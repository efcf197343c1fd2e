// How an attempt ended: which rank failed first on all nodes, why, and what followed. A pure function makes
// it from the record; text.hpp and json.hpp show it. To add a fact about a rank, start with record.hpp.
#pragma once

#include "core/cost/account.hpp"
#include "core/cost/losses.hpp"
#include "core/group_number.hpp"
#include "core/report/failures.hpp"
#include "core/report/preflight.hpp"
#include "core/report/record.hpp"
#include "core/report/verdict.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::report {

// "silent", "watched", "done", "agent_gone", "lost".
std::string_view to_string(NodeState state);

struct Policy {
  bool exit_of_srun = false;                        // exit=slurm
  std::optional<std::int32_t> of_any_failure = {};  // `muster run`: 1, like torchrun
};

// A node whose agent has not reported that all its ranks have ended.
struct LostNode {
  std::string node;
  NodeState state = NodeState::lost;
  std::uint32_t tasks = 0;
  std::optional<Moment> last_word;

  friend bool operator==(const LostNode&, const LostNode&) = default;
};

struct Times {
  Moment launched;
  std::optional<Moment> first_start;  // when the first rank started
  // When the last rank of all nodes started; no value if one has not.
  std::optional<Moment> all_started;
  std::optional<Moment> failure;
  std::optional<Moment> ending;    // when muster began to stop the remaining ranks
  std::optional<Moment> last_end;  // when the last rank ended
  Moment over;
  // The agents' rendezvous; no value if some node has not reported its part.
  std::optional<Moment> first_agent = {};       // began
  std::optional<Moment> rendezvous_begin = {};  // when the first agent joined
  std::optional<Moment> rendezvous_end = {};    // when the last agent knew that all had met
  std::chrono::nanoseconds asleep{
      0};  // how long the supervisor was suspended: the ranks' state during that time is unknown
  std::optional<Moment> process_group = {};  // when torch's stood on every rank

  friend bool operator==(const Times&, const Times&) = default;
};

// One srun of the supervisor.
struct AttemptSummary {
  std::uint32_t number = 0;
  std::string step;  // "42.0"; empty if no node has reported it
  std::vector<std::string> nodes;
  std::uint32_t ranks = 0;
  Result result = Result::ok;
  std::chrono::nanoseconds duration{0};
  std::optional<Cause> cause;  // none: ok
  std::string reason;          // one clause, "rank 3 on node2: exit code 1"; empty: ok
  std::optional<std::uint32_t> first_rank;
  std::string first_node;  // the node of the rank that failed first
  std::vector<std::string> lost_nodes;
  Times times;
  bool hung = false;                    // times.failure is the beginning of a hang
  cost::Loss loss = {};                 // what the following attempts did once more
  std::chrono::nanoseconds held_up{0};  // by slow ranks, with slow=
  std::uint32_t gpus = 0;               // that the step had

  friend bool operator==(const AttemptSummary&, const AttemptSummary&) = default;
};

struct Report {
  Result result = Result::ok;
  std::optional<Cause> cause;  // none: ok
  std::int32_t exit_code = 0;  // with which the supervisor exits
  std::int32_t srun_code = 0;
  // If the attempt was stopped from outside, only a failure long before that counts.
  std::optional<FailedRank> first;
  bool certain = true;  // whether it certainly failed first, and not because of another rank
  std::vector<FailedRank> suspects =
      {};  // if not certain: the ranks that may have failed first, the likeliest one first
  std::vector<FailedRank> others;  // ranks that failed at the same instant
  std::vector<Victims> victims;
  std::vector<FailedRank> left_early;  // ranks that exited with code 0 before the others failed
  std::vector<LostNode> lost_nodes;
  std::optional<SignalSent> user_signal;  // the signal that ended the attempt
  // The hang for which muster ended the attempt, or in which the attempt was ended otherwise.
  std::optional<Hang> hang;
  std::vector<slow::Named> slow = {};  // who held all others up, with slow=
  // Every rank was signalled, but not by muster or by this srun's user.
  bool signalled_at_once = false;
  std::optional<int> unhandled_signal = {};  // of any rank: hints.hpp
  Times times;
  std::vector<AttemptSummary> attempts;      // everything above is about the last one
  cost::Account earlier = {};                // of the job's earlier runs, and the wait after them
  std::vector<PreflightRun> preflight = {};  // empty: preflight=off
  // As recorded.
  std::optional<GroupNumber> group = {};  // with groups=: everything here is about this one
  std::string program;
  std::vector<std::string> command = {};
  std::vector<NodeRecord> nodes;
  std::vector<SignalSent> signals;
  SlurmJobState slurm;
  bool without_slurm = false;
  std::uint32_t slurm_restarts = 0;                  // how often the job had been requeued
  std::chrono::system_clock::time_point wall_start;  // the wall-clock time at moment 0
};

// 128 + N after signal N; 1 for a rank that hung after its exception.
std::int32_t failure_code(const FailedRank& rank);

// The report of one attempt.
Report make_report(const Record& record, const Policy& policy);

// The report with the earlier attempts before its own.
Report with_earlier(std::vector<AttemptSummary> earlier, Report report);

}  // namespace muster::report
