// What Slurm says about a job whose step has ended for a reason that the ranks do not tell.
#pragma once

#include "core/environment.hpp"
#include "core/report/record.hpp"
#include "core/slurm/job.hpp"

#include <chrono>
#include <string>

namespace muster::slurm {

// What is known about a job beforehand.
struct AskedJob {
  std::string id;          // empty: not known, and not asked
  unsigned restarts = 0;   // how often it had been requeued when this step began
  bool ends_soon = false;  // nothing but the step ran in it
};

// While a job is COMPLETING, scontrol shows no other state; its other fields then tell the state to come, as
// far as they do. Pure.
report::SlurmJobState slurm_job_state(const Job& job, unsigned restarts = 0);

// The job to ask about: the step's; before a node has named it, the one in which srun was started. Pure.
AskedJob job_of(const report::Record& record, const Environment& environment);

// Takes two seconds at most; empty if Slurm does not answer. While the job is ending and nothing shows yet
// in which state, it asks again every 0.1 s, for a second at most.
report::SlurmJobState ask_job_state(const AskedJob& job);

// Slurm's KillWait; Slurm's own default, 30 s, if it does not answer.
std::chrono::seconds ask_kill_wait();

}  // namespace muster::slurm
