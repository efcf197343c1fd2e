// What the processes on this node reveal about where they belong.
#pragma once

#include "launcher/agent/ranks/process_tree.hpp"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace muster::ranks {

// How this agent's ranks are recognised.
struct RankSigns {
  std::string step;                   // MUSTER_STEP, "42.0"
  std::set<pid_t> pids;               // SLURM_TASK_PID
  std::set<std::string> task_groups;  // lines of /proc/PID/cgroup that name a Slurm task
  // Clock ticks since boot. A process older than the ranks does not belong to them, so its marks are not
  // read.
  std::uint64_t first_start = 0;
};

// Every process's place in the tree; marks only for those of `user`. Leaves out a process that ends in the
// meantime; one that cannot be read has no mark.
std::vector<TableEntry> marked_processes(const std::filesystem::path& proc, const RankSigns& signs,
                                         uid_t user);

// `environment`: "NAME=VALUE" strings that each end with a zero byte.
Mark mark_of(std::string_view environment, const RankSigns& signs);

// The lines of a process's cgroup file whose path is that of one of Slurm's tasks:
// ".../step_0/task_1", or with cgroup v2 a path below ".../step_0/user".
std::set<std::string> task_groups_of(std::string_view cgroup_file);
std::set<std::string> task_groups_of(const std::filesystem::path& proc, pid_t pid);

}  // namespace muster::ranks
