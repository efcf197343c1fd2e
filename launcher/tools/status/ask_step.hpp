// Asks supervisors for their steps, on this host or on a job's batch host.
#pragma once

#include "core/environment.hpp"
#include "core/slurm/job.hpp"
#include "core/status/status.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster::status {

// The steps on this host that `name` means ("42.0", "42", or "" for all), with the rates over the last
// second, or since `before`.
std::vector<Step> steps_here(const std::string& name, const Environment& environment,
                             const std::vector<Step>& before);

// The steps as they are now, without rates.
std::vector<Step> steps_now(const std::string& name, const Environment& environment);

// Runs `muster status` on the job's batch host in a short step. Throws an Error of one line if that is not
// possible: for another user's job, a job that is not running, or one whose srun is elsewhere.
std::vector<Step> steps_of_job(const std::string& name, const Environment& environment);

// Turns a job array's "49_2.0" into "51.0", with the task's own job number, as its supervisor names it.
// Returns any other name as it is.
std::string with_job_number(const std::string& name);

// The numbers of this user's running jobs. Throws an Error of one line if Slurm does not answer.
std::vector<std::string> running_jobs();

// Why the job's batch host cannot be asked; empty if it can. `name`: the job's number as it was given, `job`:
// no value if Slurm does not know it. `uid` and `host`: this process's. Pure.
std::string refusal(const std::string& name, const std::optional<slurm::Job>& job,
                    const std::string& uid, const std::string& host);

}  // namespace muster::status
