// Which of a node's processes belong to the step's ranks here, those whose parents have ended
// included. Pure: what /proc says goes in.
#pragma once

#include "launcher/agent/ranks/process.hpp"

#include <cstdint>
#include <set>
#include <vector>

#include <sys/types.h>

namespace muster::ranks {

// What a process's environment or control group says of where it belongs.
enum class Mark : std::uint8_t {
  none,
  rank,     // one of this agent's ranks
  another,  // another task, of this step or not
};

struct TableEntry {
  ProcessStat stat;
  Mark environment = Mark::none;  // SLURM_TASK_PID, with MUSTER_STEP
  bool in_ranks_group = false;    // in the control group that Slurm made for a rank's task
};

struct RankStart {
  pid_t pid = 0;
  std::uint64_t start_time = 0;
  // False for a rank that runs and that /proc has hidden: it did not start before that time.
  bool is_exact = true;
};

// Never ended: slurmstepd, the agent and what it has started.
struct Spared {
  std::set<pid_t> pids;
  pid_t session = 0;  // the agent's own
};

// Everything but the ranks themselves: what they have started, and what was started by that. A
// process without a parent here counts where its environment, its control group, or a session or
// process group that a rank leads says so. A rank that is not in the table is hidden by /proc where its start
// is not exact: its children count nevertheless.
std::vector<ProcessStat> processes_below(const std::vector<RankStart>& ranks,
                                         const std::vector<TableEntry>& table,
                                         const Spared& spared);

}  // namespace muster::ranks
