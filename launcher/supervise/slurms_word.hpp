// What Slurm says of a job, asked when its step has ended for a reason that the ranks do not tell.
#pragma once

#include "core/environment.hpp"
#include "core/report/record.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace muster::supervise {

// From the one line of `scontrol --oneliner show job`. Pure.
report::SlurmsWord slurms_word(std::string_view line);

// The job to ask of: the step's; before a node has named it, the one in which srun was started.
std::string job_of(const report::Record& record, const Environment& environment);

// Runs scontrol, for two seconds at most; empty where it does not answer.
report::SlurmsWord ask_slurm(const std::string& job);

// Slurm's KillWait, from the text of `scontrol show config`. Pure.
std::optional<std::chrono::seconds> kill_wait(std::string_view config);

// The same of this cluster; Slurm's own default, 30 s, where scontrol does not answer.
std::chrono::seconds ask_kill_wait();

}  // namespace muster::supervise
