// What Slurm says about a job whose step has ended for a reason that the ranks do not reveal.
#pragma once

#include "core/environment.hpp"
#include "core/report/record.hpp"
#include "core/slurm/job.hpp"
#include "core/srun/command.hpp"

#include <chrono>
#include <string>

namespace muster::slurm {

// What is already known about a job.
struct AskedJob {
  std::string id;          // empty: unknown, so not queried
  unsigned restarts = 0;   // how often it had been requeued when this step began
  bool ends_soon = false;  // nothing but this step was running in it
};

// While a job is COMPLETING, scontrol shows no other state; as far as possible, the final state is then
// derived from its other fields. Pure.
report::SlurmJobState slurm_job_state(const Job& job, unsigned restarts = 0);

// The job to query: the step's job or, before a node has named that, the one of srun's command line. Pure.
AskedJob job_of(const report::Record& record, const srun::Command& command,
                const Environment& environment);

// Takes at most two seconds; empty if Slurm does not answer. While the job is ending and its final state is
// not yet visible, asks again every 0.1 s, for at most a second.
report::SlurmJobState ask_job_state(const AskedJob& job);

// Slurm's KillWait; Slurm's own default, 30 s, if it does not answer.
std::chrono::seconds ask_kill_wait();

}  // namespace muster::slurm
