// What muster makes Slurm do to a running job and its steps, with the user's own rights. Each function runs
// one of Slurm's tools for a bounded time.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

namespace muster::slurm {

// The latest time to call keep_only(), counted from a node's last sign of life: well before Slurm may call
// the node DOWN. No value if Slurm never does (SlurmdTimeout=0). Pure.
std::optional<std::chrono::seconds> removal_timeout(std::chrono::seconds slurmd_timeout);

// Removes all nodes except `rest` from the running job, so that the job survives their loss: otherwise Slurm
// ends it when it marks one of them DOWN. This cannot be undone. `component`: Job::component. Empty if it
// worked, otherwise one line with Slurm's reason. Before 24.11, Slurm refuses a job's second removal if it
// has no database, and scontrol tries for five seconds before it reports that.
std::string keep_only(const std::string& component, std::span<const std::string> rest,
                      std::chrono::milliseconds timeout);

// Puts the job back into the queue. `task`: Job::task. Empty if it worked, or one line with Slurm's reason.
std::string requeue(const std::string& task, std::chrono::milliseconds timeout);

// False if scancel failed or did not finish in time.
bool cancel(const std::string& task, std::chrono::milliseconds timeout);

// slurmctld pings a node only every few minutes. This makes it contact the host immediately, with a signal
// that programs ignore by default: sent to the job's batch script, or to the supervisor's step if `step` is
// not empty.
void have_host_tried(const std::string& task, const std::string& step);

}  // namespace muster::slurm
