// Processes that ranks of earlier attempts have left behind on this node although their step has ended: their
// agent and slurmstepd may both have ended before them.
#pragma once

#include "launcher/agent/ranks/process.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace muster::health {

// Whether a process belongs to one of the steps "42.0", ..., according to its environment (MUSTER_STEP) or
// its control group (".../job_42/step_0/..."). `job_group`: another name that the job's group may have, from
// ranks::job_group_name(). Pure.
bool is_of_steps(std::string_view environment, std::string_view cgroup_file,
                 std::span<const std::string> steps, std::string_view job_group = {});

// Those processes of `user` that are still running. This process must belong to the same job as the steps, or
// to none. A process that cannot be read does not count.
std::vector<ranks::ProcessStat> processes_of_steps(const std::filesystem::path& proc,
                                                   std::span<const std::string> steps, uid_t user);

// Kills this user's processes of those steps and waits for them to end. Returns how many are left after
// `timeout`; no value if the kernel does not answer in time, as can happen with a process in uninterruptible
// sleep.
std::optional<std::uint32_t> end_processes_of_steps(std::span<const std::string> steps,
                                                    std::chrono::milliseconds timeout);

}  // namespace muster::health
