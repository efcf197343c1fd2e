// The processes that ranks of earlier attempts have left on this node although their step has ended: their
// agent and their slurmstepd may both have gone before them.
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

// A process says by its environment (MUSTER_STEP) or by its control group (".../job_42/step_0/...") that
// it belongs to one of the steps "42.0", ... . Pure.
bool is_of_steps(std::string_view environment, std::string_view cgroup_file,
                 std::span<const std::string> steps);

// Those of `user` that have not ended. A process that cannot be read does not count.
std::vector<ranks::ProcessStat> processes_of_steps(const std::filesystem::path& proc,
                                                   std::span<const std::string> steps, uid_t user);

// Kills this user's, and waits for their end. Returns how many are left after `timeout`; nothing if the
// kernel does not answer in time, as can happen for a process in uninterruptible sleep.
std::optional<std::uint32_t> end_processes_of_steps(std::span<const std::string> steps,
                                                    std::chrono::milliseconds timeout);

}  // namespace muster::health
