// Ends a running job with an exit code, as srun and salloc end the allocation that they have made. None of
// Slurm's commands does that for a batch job, only its library.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace muster::slurm {

// Slurm's library, in the first of PluginDir's directories that has it; empty where the text of `scontrol
// show config` does not tell. Pure but for looking there.
std::string slurms_library(std::string_view config);

// In a process of its own. False where Slurm has not been told so.
bool complete_job(const std::string& job, int code, std::chrono::milliseconds timeout);

}  // namespace muster::slurm
