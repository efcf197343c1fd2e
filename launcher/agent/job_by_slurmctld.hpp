// The job as slurmctld knows it. A step's environment comes from the user's srun, so its partition and
// account are whatever the user wants them to be.
#pragma once

#include "core/environment.hpp"
#include "launcher/agent/slurm_command.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::agent {

struct SignedJob {
  std::string partition;
  std::string account;  // empty if the site has none

  friend bool operator==(const SignedJob&, const SignedJob&) = default;
};

// Runs Slurm's squeue once; squeue itself waits if slurmctld limits the query rate. No value if there is no
// answer in time. Throws an Error of one clause if this node has no squeue that may be used.
std::optional<SignedJob> job_by_slurmctld(std::uint32_t job, const Environment& environment,
                                          const SlurmOwners& owners,
                                          std::chrono::milliseconds timeout);

// The job's line in squeue's output "JOB PARTITION ACCOUNT". For a job array, squeue prints each task under
// its own number. Pure.
std::optional<SignedJob> signed_job(std::string_view output, std::uint32_t job);

}  // namespace muster::agent
