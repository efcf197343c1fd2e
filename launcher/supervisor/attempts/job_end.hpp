// Ends a batch job whose script has died with its node, because nothing else would end it.
#pragma once

#include <chrono>
#include <string>

namespace muster::attempts {

// Slurm kills this process within that time once its job has ended or has been requeued.
inline constexpr std::chrono::seconds job_end_timeout{10};

// Slurm usually kills this process as well; otherwise this returns after some seconds. If Slurm refuses,
// prints one line that says why. Does nothing to a job that is no longer running.
void end_job(const std::string& job, int code);

}  // namespace muster::attempts
