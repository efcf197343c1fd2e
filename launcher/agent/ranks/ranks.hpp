// The processes of a node's ranks, from start to end, and the signals that are sent to them.
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
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::ranks {

struct Rank {
  report::RankPlace place;
  std::optional<Process> process = {};  // no value before its start, or if it cannot be seen
  std::optional<std::chrono::steady_clock::time_point> start = {};
  std::optional<std::chrono::steady_clock::time_point> end = {};
  std::optional<std::int32_t> wait_status = {};
  bool signalled = false;      // by muster, while it was running
  std::vector<int> owed = {};  // the user's signals that have not reached it yet

  [[nodiscard]] bool runs() const { return !end && process && process->runs(); }
};

class Ranks {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `places`: by local task ID, without process IDs. `step`: as in MUSTER_STEP. `parent`: slurmstepd, which
  // is never signalled; neither is this process's own session.
  Ranks(const std::vector<report::RankPlace>& places, std::string step, pid_t parent);

  // Reports from slurmstepd. A message about tasks that this node does not have is ignored.
  void started(const wire::TasksStarted& tasks, Time now);
  // False if this is not news.
  bool exited(const wire::TaskExit& task, Time now);

  // A report from the kernel: the process has ended. False if this is not news.
  bool ended(std::size_t local_id, Time now);

  // Finds out where Slurm has put the ranks by now, so that processes that they leave behind can be found.
  void look();

  // With hidepid=, /proc shows a running rank only to root until its task runs the user's program. Anything
  // read about such a rank has to be read again.
  [[nodiscard]] bool any_is_hidden() const;

  [[nodiscard]] const std::vector<Rank>& all() const { return ranks_; }
  [[nodiscard]] std::vector<report::RankPlace> places() const;

  // Whether the status of every rank is known.
  [[nodiscard]] bool complete() const;
  [[nodiscard]] bool any_runs() const;

  // All descendants of the ranks. Reads all of /proc.
  [[nodiscard]] std::vector<ProcessStat> below() const;

  // Passes on a signal that the user sent, except to the processes that stop_request.hpp spares; it is up to
  // the rank how to react. A rank that cannot take it yet gets it at the next look(), because Slurm starts a
  // task as root.
  void pass_on(int signal);

  // Signals each running rank and then each process below the ranks. False if there was none.
  bool signal(std::initializer_list<int> signals);

  // Sends SIGTERM to all processes except those that stop_request.hpp spares, and SIGCONT to all, so that a
  // suspended rank receives SIGTERM. A further call does the same once all processes that it asked last have
  // ended, because a shell may have started the next program. False if there was no process to ask.
  bool ask_to_stop();

  // Sends SIGKILL until no more processes are found, because one may be forked between the look and the
  // signal. Limited to a few times.
  void kill_rest();

 private:
  bool signal_below(std::initializer_list<int> signals) const;
  [[nodiscard]] std::set<pid_t> spared_from(int signal,
                                            const std::vector<ProcessStat>& below) const;
  void open_again(Rank& rank) const;
  [[nodiscard]] std::vector<RankStart> starts() const;

  std::vector<Rank> ranks_;
  // This process's own start, because it is older than the ranks.
  const std::uint64_t first_possible_start_;
  RankSigns signs_;
  Spared spared_;
  std::vector<Process> asked_;  // to stop
};

}  // namespace muster::ranks
