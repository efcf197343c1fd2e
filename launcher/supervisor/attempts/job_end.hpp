// The end of a batch job whose script has died with its node: nobody else would end it.
#pragma once

#include <chrono>
#include <string>

namespace muster::attempts {

// Within it Slurm ends this process, too, whose job is over or has gone back into the queue.
inline constexpr std::chrono::seconds time_to_be_ended{10};

// Returns where Slurm does not end this process, too, within some seconds; says why if Slurm refuses. Does
// nothing to a job that does not run any more.
void end_job(const std::string& job, int code);

}  // namespace muster::attempts
