// Ends a running job with an exit code, as srun and salloc end an allocation that they have made. None of
// Slurm's commands can do this to a batch job; only its library can.
#pragma once

#include "core/slurm/config.hpp"

#include <chrono>
#include <string>

namespace muster::slurm {

// The file of Slurm's library: next to the plugins, in the first of their directories that has it. Empty if
// none does.
std::string slurms_library(const Config& config);

// Calls the library in a separate process. False if Slurm could not be told. Requests Slurm's configuration.
bool complete_job(const std::string& job, int code, std::chrono::milliseconds timeout);

}  // namespace muster::slurm
