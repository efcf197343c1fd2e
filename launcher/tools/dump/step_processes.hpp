// The processes of a step's ranks on this node, as /proc shows them to their user: the tasks and the
// processes that they have started.
#pragma once

#include "launcher/agent/ranks/process.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace muster::dump {

inline constexpr std::size_t max_processes_of_rank = 64;

// What a process's environment reveals about where it belongs.
struct RankSign {
  std::string step;        // "42.0"
  std::string node;        // SLURMD_NODENAME; empty under muster run
  std::uint32_t rank = 0;  // RANK if muster has set it for this step, otherwise SLURM_PROCID
  pid_t task = 0;          // SLURM_TASK_PID; under muster run MUSTER_TASK_PID

  friend bool operator==(const RankSign&, const RankSign&) = default;
};

// Parses "NAME=VALUE" strings that each end with a zero byte. No value for a process that belongs to no task.
std::optional<RankSign> rank_sign(std::string_view environment);

// The runs of `muster run` on this host that belong to `user`, each with its number of ranks.
std::map<std::string, std::uint32_t> steps_without_slurm(const std::filesystem::path& proc,
                                                         uid_t user);

struct StepProcess {
  std::uint32_t rank = 0;
  ranks::ProcessStat stat;
  pid_t parent = 0;  // its parent in the same rank; 0 for the task's own process
};

// The processes of `user`, by rank, the task's own first. `node`: empty for any. A child of a rank's process
// belongs to that rank whatever its environment says.
std::vector<StepProcess> step_processes(const std::filesystem::path& proc, const std::string& step,
                                        const std::string& node, uid_t user);

}  // namespace muster::dump
