// Whether a batch job goes back into the queue, where no other attempt is possible in its allocation.
// Pure.
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

// What the supervisor knows of the attempt's end.
struct AllocationEnd {
  bool too_few_nodes = false;  // for another attempt
  bool stopped = false;        // by stop=
  bool signalled = false;      // see was_signalled()
};

struct RequeueRules {
  std::uint32_t requeue = 0;  // at most so often over the job's life
  std::vector<std::uint32_t> norestart{93};
  std::uint32_t requeues_before = 0;  // when this run of the job began
};

struct RequeueDecision {
  bool requeue = false;
  bool slurm_does = false;  // it is on its way back into the queue already
  // For the user, one clause: why it is requeued, or why it is not though it would have to be. Empty
  // where nothing calls for it.
  std::string why;

  friend bool operator==(const RequeueDecision&, const RequeueDecision&) = default;
};

// `job`: after the attempt; without a state if Slurm did not answer.
RequeueDecision decide_requeue(const RequeueRules& rules, const AllocationEnd& end,
                               const report::Report& last, const slurm::Job& job);

// The ranks' end was asked for: by a SIGTERM to the supervisor, which ends them, or by a SIGUSR1 or
// SIGUSR2 that they do not handle, as Slurm's --signal sends it to the step or to the script.
bool was_signalled(const report::Record& record, const report::Report& last);

// A rank of the attempt ended with a code of norestart=. Nothing where none did.
const report::FailedRank* rank_that_forbids(const std::vector<std::uint32_t>& norestart,
                                            const report::Report& last);

}  // namespace muster::restart
