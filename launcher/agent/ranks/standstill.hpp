// Stops the ranks of a node and all processes that they have started. Resumes nothing that somebody else has
// stopped.
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

// When to look again at stopped ranks: on a node that wakes up somebody may just be resuming its processes,
// and Slurm resumes processes before it ends them. The last interval repeats.
inline constexpr std::array hold_times{std::chrono::milliseconds{5}, std::chrono::milliseconds{20},
                                       std::chrono::milliseconds{100}};

class Standstill {
 public:
  using Key = std::pair<pid_t, std::uint64_t>;  // with the start time

  // Calls `before` before it stops a process for the first time.
  explicit Standstill(std::function<void(const Key&)> before = {}) : before_(std::move(before)) {}

  // Sends SIGSTOP to each running process until a look finds no more: one may be forked between the look and
  // the signal. Call it again and again, because somebody else may send SIGCONT.
  void stop(const Ranks& ranks);

  // Treats the process as if it had been stopped here.
  void add(const Key& key) { stopped_.insert(key); }

  // Sends SIGCONT to the processes that were stopped here.
  void go_on();

  // Forgets what was stopped.
  void forget() { stopped_.clear(); }

 private:
  bool stop_one(const ProcessStat& stat, const Process& process);
  bool stop_children(pid_t parent, int depth);

  const std::function<void(const Key&)> before_;
  std::set<Key> stopped_;
};

}  // namespace muster::ranks
