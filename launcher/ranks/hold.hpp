// The ranks of a node stand still, because another attempt may run: see watch/lease.hpp. Stops what the ranks
// have started as well, and lets nothing go on that somebody else has stopped.
#pragma once

#include "launcher/ranks/ranks.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include <sys/types.h>

namespace muster::ranks {

// Kills the ranks if its parent ends while they stand still: nobody would let them go on.
class HoldGuard {
 public:
  // `afterwards`: done then, in the process that has killed them.
  HoldGuard(const Ranks& ranks, const std::function<void()>& afterwards);
  HoldGuard(const HoldGuard&) = delete;
  HoldGuard& operator=(const HoldGuard&) = delete;
  ~HoldGuard();  // the ranks go on, or are killed already

 private:
  os::Descriptor alive_;  // it reads the end of this
  pid_t guard_ = -1;
};

class Hold {
 public:
  explicit Hold(std::function<void()> when_abandoned = {})
      : when_abandoned_(std::move(when_abandoned)) {}

  // SIGSTOP to each process that runs, until none is found: one may be forked between the look and the
  // signal. To be called again and again, because somebody else may send them SIGCONT.
  void stop(const Ranks& ranks);

  // SIGCONT to those that were stopped here.
  void go_on();

  // They are killed, or about to end: what was stopped is no longer kept in mind.
  void forget();

  [[nodiscard]] bool holds() const { return guard_.has_value(); }

 private:
  using Key = std::pair<pid_t, std::uint64_t>;  // with the start time

  bool stop_one(const ProcessStat& stat, const Process& process);
  bool stop_children(pid_t parent, int depth);

  const std::function<void()> when_abandoned_;
  std::optional<HoldGuard> guard_;
  std::set<Key> stopped_;
};

}  // namespace muster::ranks
