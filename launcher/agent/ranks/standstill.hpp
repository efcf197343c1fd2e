// Suspends the ranks of a node and all processes that they have started. Does not resume a process that
// something else has suspended.
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

// When to check suspended ranks again: on a node that wakes up, something else may just be resuming its
// processes, and Slurm resumes processes before it kills them. The last interval repeats.
inline constexpr std::array hold_times{std::chrono::milliseconds{5}, std::chrono::milliseconds{20},
                                       std::chrono::milliseconds{100}};

class Standstill {
 public:
  using Key = std::pair<pid_t, std::uint64_t>;  // process ID and start time

  // Calls `before` before it suspends a process for the first time.
  explicit Standstill(std::function<void(const Key&)> before = {}) : before_(std::move(before)) {}

  // Sends SIGSTOP to each running process until no more are found, because one may be forked between the look
  // and the signal. Call it repeatedly, because something else may send SIGCONT.
  void stop(const Ranks& ranks);

  // Treats the process as if this object had suspended it.
  void add(const Key& key) { stopped_.insert(key); }

  // Sends SIGCONT to the processes that this object has suspended.
  void go_on();

  [[nodiscard]] const std::set<Key>& stopped() const { return stopped_; }

  // Forgets which processes were suspended.
  void forget() { stopped_.clear(); }

 private:
  bool stop_one(const ProcessStat& stat, const Process& process);
  bool stop_children(pid_t parent, int depth);

  const std::function<void(const Key&)> before_;
  std::set<Key> stopped_;
};

}  // namespace muster::ranks
