// The processes of a node's ranks, from their start to their end, and the signals that they get.
#pragma once

#include "core/report/record.hpp"
#include "launcher/agent/ranks/process.hpp"
#include "launcher/agent/ranks/process_marks.hpp"
#include "launcher/agent/ranks/process_tree.hpp"
#include "wire/messages.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::ranks {

struct Rank {
  report::RankPlace place;
  std::optional<Process> process = {};  // nothing before its start, and where it cannot be seen
  std::optional<std::chrono::steady_clock::time_point> start = {};
  std::optional<std::chrono::steady_clock::time_point> end = {};
  std::optional<std::int32_t> wait_status = {};
  bool signalled = false;      // by muster, while it ran
  std::vector<int> owed = {};  // the user's signals that have not reached it yet

  [[nodiscard]] bool runs() const { return !end && process && process->runs(); }
};

class Ranks {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `places`: by local task ID, without process IDs. `step`: as MUSTER_STEP. `parent`: slurmstepd,
  // which is never signalled; neither is this process's own session.
  Ranks(const std::vector<report::RankPlace>& places, std::string step, pid_t parent);

  // What slurmstepd says. A message about tasks that this node does not have is ignored.
  void started(const wire::TasksStarted& tasks, Time now);
  // False where it is no news.
  bool exited(const wire::TaskExit& task, Time now);

  // What the kernel says: the process has ended. False where it is no news.
  bool ended(std::size_t local_id, Time now);

  // Where Slurm has put the ranks by now, so that what they leave behind is found.
  void look();

  // /proc shows a rank that runs to root alone: with hidepid=, until its task runs the user's program. What
  // is read of such a rank has to be read again.
  [[nodiscard]] bool any_is_hidden() const;

  [[nodiscard]] const std::vector<Rank>& all() const { return ranks_; }
  [[nodiscard]] std::vector<report::RankPlace> places() const;

  // No status is missing.
  [[nodiscard]] bool complete() const;
  [[nodiscard]] bool any_runs() const;

  // Every process that the ranks have started, and what was started by that. Reads all of /proc.
  [[nodiscard]] std::vector<ProcessStat> below() const;

  // The user's own, to the same processes as signal(): what a rank makes of it is the rank's doing.
  // One that cannot take it yet gets it with look(): Slurm starts a task as root.
  void pass_on(int signal);

  // To each rank that runs and, after that, to each process below the ranks. False where there was
  // none.
  bool signal(std::initializer_list<int> signals);

  // Sends SIGKILL until a look finds no more: one may be forked between the look and the signal. A few
  // times at most.
  void kill_rest();

 private:
  bool signal_below(std::initializer_list<int> signals) const;
  void open_again(Rank& rank) const;
  [[nodiscard]] std::vector<RankStart> starts() const;

  std::vector<Rank> ranks_;
  const std::uint64_t first_possible_start_;  // this process's own: it is older than the ranks
  RankSigns signs_;
  Spared spared_;
};

}  // namespace muster::ranks
