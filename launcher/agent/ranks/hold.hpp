// Lets the ranks of a node run only while their lease lasts, because another attempt may run afterwards: see
// watch/lease.hpp. When it expires they are suspended (SIGSTOP). A guard process does that if this process
// itself is suspended.
#pragma once

#include "launcher/agent/ranks/hold_guard.hpp"
#include "launcher/agent/ranks/ranks.hpp"
#include "launcher/agent/ranks/standstill.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <utility>

namespace muster::ranks {

class Hold {
 public:
  using Time = HoldGuard::Time;

  // The guard calls `when_abandoned` once it has killed the ranks of an agent that has ended.
  explicit Hold(const Ranks& ranks, std::function<void()> when_abandoned = {})
      : ranks_(ranks), when_abandoned_(std::move(when_abandoned)) {}

  // The ranks may run until then, whatever happens to this process. Resumes the processes that this object or
  // the guard has suspended.
  void allow(Time until);

  // The ranks must not run. Has to be called repeatedly.
  void stop();

  // The ranks must not run, but something else already keeps them from running. Replaces a repeated stop(),
  // which looks at all processes.
  void keep();

  // More is known about the ranks: passes that on to the guard, if there is one.
  void ranks_have_changed();

  // The ranks were killed, or are about to exit: forgets which ones were suspended, and ends the guard.
  void forget();

  // The ranks are suspended, or the guard is just suspending them.
  [[nodiscard]] bool holds() const { return stops_ || (guard_ && guard_->has_stopped()); }

  // The processes that this object or the guard has suspended, except those that were already suspended.
  [[nodiscard]] std::set<Standstill::Key> stopped() const;

 private:
  void begin_guard();
  void begin_stop();

  const Ranks& ranks_;
  const std::function<void()> when_abandoned_;
  Standstill standstill_;
  std::unique_ptr<HoldGuard> guard_;
  Time until_;  // the guard does nothing until then
  bool stops_ = false;
};

}  // namespace muster::ranks
