// Asks Slurm. Each function runs one of Slurm's tools for at most `timeout`, and makes one request to
// slurmctld unless its comment says otherwise. core/slurm reads what they print.
#pragma once

#include "core/restart/lost_host.hpp"
#include "core/slurm/allocation.hpp"
#include "core/slurm/config.hpp"
#include "core/slurm/job.hpp"
#include "core/slurm/node.hpp"
#include "core/slurm/switches.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::slurm {

inline constexpr std::chrono::milliseconds job_query_timeout{2000};

// The job with that number, or the array task "40_2". No value if Slurm does not know it or does not answer.
std::optional<Job> ask_job(const std::string& id, std::chrono::milliseconds timeout);

// The nodes that the job has now, and those without cores. Throws Error like allocation_of().
std::optional<Allocation> ask_allocation(const std::string& job, std::chrono::milliseconds timeout);

// What an agent or a successor needs to know about a job whose supervisor's host is silent. Makes up to three
// requests, each with its own `timeout`. `host`: the supervisor's; empty: not asked about.
std::optional<restart::HostlessJob> ask_hostless_job(
    const std::string& job, const std::string& host,
    std::chrono::milliseconds timeout = job_query_timeout);

// Job::task, or the number itself if Slurm does not answer.
std::string ask_task_name(const std::string& job);

// The IDs of this job's steps, "42.0". `task`: its ask_task_name().
std::vector<std::string> running_steps(const std::string& job, const std::string& task);

// Leaves out nodes that Slurm does not know or did not print in time: empty if it does not answer. Includes
// nodes in hidden partitions. If slurmctld hides all nodes from this user, only says what their names say.
std::vector<Node> ask_nodes(std::span<const std::string> nodes, std::chrono::milliseconds timeout);

// Likewise with each slurmd's port, all within one `timeout`. Makes a second request if a node has no port of
// its own.
std::vector<Node> ask_nodes_and_ports(std::span<const std::string> nodes,
                                      std::chrono::milliseconds timeout);

// Whether slurmctld has refused to show nodes to this process's user (PrivateData=nodes), so that nobody here
// learns which nodes are down or drained.
bool hides_nodes();

struct ConfigAnswer {
  std::optional<Config> config;
  std::string failure = {};  // the first line that scontrol printed, if it failed in time
};

// `interrupt`: a descriptor that ends the wait once it is readable, or -1.
ConfigAnswer ask_config(std::chrono::milliseconds timeout, int interrupt = -1);

// Empty if the site has no topology, or Slurm does not answer.
LeafSwitches ask_leaf_switches(std::chrono::milliseconds timeout);

}  // namespace muster::slurm
