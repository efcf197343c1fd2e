// What Slurm says of a job, asked when its step has ended for a reason that the ranks do not tell.
#pragma once

#include "core/environment.hpp"
#include "core/report/record.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace muster::slurm {

// What is known of a job beforehand.
struct AskedJob {
  std::string id;
  unsigned restarts = 0;   // so often it had been requeued when this step began
  bool ends_soon = false;  // nothing else of it runs any more
};

// From the one line of `scontrol --oneliner show job`. While a job is COMPLETING, it shows no other
// state: then its other fields say which it will have, as far as they do. Pure.
report::SlurmsWord slurms_word(std::string_view line, unsigned restarts = 0);

// The job to ask of: the step's; before a node has named it, the one in which srun was started.
AskedJob job_of(const report::Record& record, const Environment& environment);

// Runs scontrol, for two seconds at most; empty where it does not answer. Asks again for a second
// while the job's end is on its way and nothing says which it is.
report::SlurmsWord ask_slurm(const AskedJob& job);

// Slurm's KillWait, from the text of `scontrol show config`. Pure.
std::optional<std::chrono::seconds> kill_wait(std::string_view config);

// The same of this cluster; Slurm's own default, 30 s, where scontrol does not answer.
std::chrono::seconds ask_kill_wait();

}  // namespace muster::slurm
