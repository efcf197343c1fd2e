// The processes of this node as /proc shows them, and what they say of where they belong.
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
  std::set<std::string> task_groups;  // lines of /proc/PID/cgroup that name a task of Slurm's
  // Clock ticks since boot: no process that is older than the ranks is one of theirs, or is looked at.
  std::uint64_t first_start = 0;
};

// Every process's place in the tree; marks only for those of `user`. One that ends meanwhile, or
// cannot be read, is left out or has no mark.
std::vector<TableEntry> process_table(const std::filesystem::path& proc, const RankSigns& signs,
                                      uid_t user);

// By "NAME=VALUE" strings that each end with a zero byte.
Mark mark_of(std::string_view environment, const RankSigns& signs);

// The lines of a process's cgroup file whose path is that of one task of Slurm's:
// ".../step_0/task_1", on v2 below ".../step_0/user".
std::set<std::string> task_groups_of(std::string_view cgroup_file);
std::set<std::string> task_groups_of(const std::filesystem::path& proc, pid_t pid);

}  // namespace muster::ranks
