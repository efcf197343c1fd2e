// The job as slurmctld has it. A step's environment comes from the user's srun, and says of the partition and
// the account what the user wants it to.
#pragma once

#include "core/environment.hpp"
#include "core/file/trusted_file.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::agent {

struct SignedJob {
  std::string partition;
  std::string account;  // empty where the site has none

  friend bool operator==(const SignedJob&, const SignedJob&) = default;
};

// One call of root's squeue, which waits by itself if slurmctld limits the rate of questions. Nothing
// if there is no answer in time.
std::optional<SignedJob> job_by_slurmctld(std::uint32_t job, const Environment& environment,
                                          const file::Trust& trust,
                                          std::chrono::milliseconds timeout);

// The job's line in squeue's "JOB PARTITION ACCOUNT", which it prints of an array's own number for each task.
// Pure.
std::optional<SignedJob> signed_job(std::string_view output, std::uint32_t job);

}  // namespace muster::agent
