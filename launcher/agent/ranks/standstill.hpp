// Makes the ranks of a node stand still with what they have started, and lets nothing go on that somebody
// else has stopped.
#pragma once

#include "launcher/agent/ranks/ranks.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>

#include <sys/types.h>

namespace muster::ranks {

// When to look again at ranks that stand still: in a node that wakes up somebody may just be letting its
// processes go on, and Slurm does that before it ends them. The last one again and again.
inline constexpr std::array hold_times{std::chrono::milliseconds{5}, std::chrono::milliseconds{20},
                                       std::chrono::milliseconds{100}};

class Standstill {
 public:
  using Key = std::pair<pid_t, std::uint64_t>;  // with the start time

  // `before`: called before a process is stopped for the first time.
  explicit Standstill(std::function<void(const Key&)> before = {}) : before_(std::move(before)) {}

  // SIGSTOP to each process that runs, until none is found: one may be forked between the look and the
  // signal. To be called again and again, because somebody else may send them SIGCONT.
  void stop(const Ranks& ranks);

  // As if it had been stopped here.
  void add(const Key& key) { stopped_.insert(key); }

  // SIGCONT to those that were stopped here.
  void go_on();

  // What was stopped is no longer kept in mind.
  void forget() { stopped_.clear(); }

 private:
  bool stop_one(const ProcessStat& stat, const Process& process);
  bool stop_children(pid_t parent, int depth);

  const std::function<void(const Key&)> before_;
  std::set<Key> stopped_;
};

}  // namespace muster::ranks
