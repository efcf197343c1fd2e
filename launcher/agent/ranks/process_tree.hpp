// Which of a node's processes belong to the step's ranks there, including those whose parents have ended.
// Pure: works on what /proc shows.
#pragma once

#include "launcher/agent/ranks/process.hpp"

#include <cstdint>
#include <set>
#include <vector>

#include <sys/types.h>

namespace muster::ranks {

// What a process's environment or control group reveals about where it belongs.
enum class Mark : std::uint8_t {
  none,
  rank,     // one of this agent's ranks
  another,  // another task, in this step or elsewhere
};

struct TableEntry {
  ProcessStat stat;
  Mark environment = Mark::none;  // from SLURM_TASK_PID, together with MUSTER_STEP
  bool in_ranks_group = false;    // it is in the control group that Slurm created for a rank's task
};

struct RankStart {
  pid_t pid = 0;
  std::uint64_t start_time = 0;
  // False for a running rank that /proc hides: it then started no earlier than that time.
  bool is_exact = true;
};

// Processes that are never killed: slurmstepd, the agent, and what the agent started.
struct Spared {
  std::set<pid_t> pids;
  pid_t session = 0;  // the agent's own
};

// All descendants of the ranks, without the ranks themselves. A process whose parent is gone counts if its
// environment, its control group, or a session or process group led by a rank shows that it belongs to a
// rank. If a rank is not in the table and its start is not exact, it is hidden by /proc, and its children
// count nevertheless.
std::vector<ProcessStat> processes_below(const std::vector<RankStart>& ranks,
                                         const std::vector<TableEntry>& table,
                                         const Spared& spared);

// For each rank, itself and its descendants. `ranks`: 0 for one that has ended. `below`: processes_below(). A
// process whose parent is gone may be any rank's, and counts for all of them.
std::vector<std::vector<pid_t>> processes_by_rank(const std::vector<pid_t>& ranks,
                                                  const std::vector<ProcessStat>& below);

}  // namespace muster::ranks
