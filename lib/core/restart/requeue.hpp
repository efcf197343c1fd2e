// Whether a batch job is requeued when no further attempt is possible in its allocation. Pure.
#pragma once

#include "core/slurm/job.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::report {
struct FailedRank;
struct Record;
struct Report;
}  // namespace muster::report

namespace muster::restart {

// What the supervisor knows about how the attempt ended.
struct AllocationEnd {
  bool too_few_nodes = false;  // too few for another attempt
  bool stopped = false;        // by stop=
  bool signalled = false;      // see was_signalled()
};

struct RequeueRules {
  std::uint32_t requeue = 0;  // at most this many times over the job's life
  std::vector<std::uint32_t> norestart{93};
  std::uint32_t requeues_before = 0;  // when this run of the job began
};

struct RequeueDecision {
  bool requeue = false;
  bool slurm_does = false;  // Slurm requeues the job itself
  // For the user, one clause: why the job is requeued, or why it is not although it should be. Empty if
  // nothing calls for a requeue.
  std::string why;

  friend bool operator==(const RequeueDecision&, const RequeueDecision&) = default;
};

// `job`: after the attempt; without a state if Slurm did not answer.
RequeueDecision decide_requeue(const RequeueRules& rules, const AllocationEnd& end,
                               const report::Report& last, const slurm::Job& job);

// Whether the attempts so far are kept beyond this run of the job. If Slurm is about to end the job, it is
// not yet known whether it also requeues the job. After success or cancellation by the user, nothing is left
// to continue with.
bool keeps_state(const RequeueDecision& decision, const report::Report& last,
                 const slurm::Job& job);

// Whether a signal asked the ranks to stop: a SIGTERM to the supervisor, which stops them, or a SIGUSR1 or
// SIGUSR2 that they do not handle, as Slurm's --signal sends it to the step or to the script.
bool was_signalled(const report::Record& record, const report::Report& last);

// A rank of the attempt that ended with an exit code in norestart=; null if there is none.
const report::FailedRank* rank_that_forbids(const std::vector<std::uint32_t>& norestart,
                                            const report::Report& last);

}  // namespace muster::restart
