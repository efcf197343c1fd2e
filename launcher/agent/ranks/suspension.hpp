// Whether something else has suspended the ranks of a node, as Slurm does after `scontrol suspend`, to
// preempt a job, or in gang scheduling: it stops the job's processes or freezes their control group. The
// agent keeps running, because it does not belong to the step's tasks.
#pragma once

#include "launcher/agent/ranks/control_groups.hpp"
#include "launcher/agent/ranks/ranks.hpp"
#include "launcher/agent/ranks/standstill.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::ranks {

// A rank's own process. Its children are not looked at: Slurm suspends all processes or none, and a pass over
// all processes on the node would cost too much while another job uses the node.
struct RankProcess {
  char state = '?';        // as in ProcessStat
  bool by_muster = false;  // muster has stopped it
  bool is_frozen = false;  // its control group is frozen
};

// True if there are processes, and something else keeps each one from running. Pure.
bool are_suspended(const std::vector<RankProcess>& processes);

// Where the control groups that can be frozen are mounted, from /proc/self/mountinfo. Pure.
GroupMounts freezer_mounts(std::string_view mountinfo);

// Whether a process with this /proc/PID/cgroup is in a group that is frozen or is being frozen.
bool is_in_frozen_group(const std::string& cgroup_file, const GroupMounts& mounts);

// Looks at the ranks that have not ended. `by_muster`: the processes that muster has stopped.
bool are_suspended(const Ranks& ranks, const GroupMounts& mounts,
                   const std::set<Standstill::Key>& by_muster = {});

}  // namespace muster::ranks
