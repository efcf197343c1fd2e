// Takes lost nodes out of the running job, so that it outlives them: without that Slurm ends the job
// when it calls a node DOWN. It cannot be undone.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster::slurm {

// When it must be done at the latest, counted from a node's last word: well before Slurm may call
// the node DOWN. Nothing where Slurm never does (SlurmdTimeout=0). Pure.
std::optional<std::chrono::seconds> time_to_remove(std::chrono::seconds slurmd_timeout);

// SlurmdTimeout from the text of `scontrol show config`; nothing where it is not there. Pure.
std::optional<std::chrono::seconds> slurmd_timeout(std::string_view config);

// The job keeps `rest`, by the user's own scontrol. Empty where it worked, or why Slurm refused, in one
// line of its own. Before 24.11 a job's second removal is refused where Slurm has no database; there
// scontrol tries for five seconds before it says so.
std::string keep_only(const std::string& job, std::span<const std::string> rest,
                      std::chrono::milliseconds timeout);

}  // namespace muster::slurm
