// The ranks of a node run only as long as they may, because another attempt may run afterwards: see
// watch/lease.hpp. Otherwise they stand still. A guard sees to that while this process is stopped.
#pragma once

#include "launcher/agent/ranks/hold_guard.hpp"
#include "launcher/agent/ranks/ranks.hpp"
#include "launcher/agent/ranks/standstill.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace muster::ranks {

class Hold {
 public:
  using Time = HoldGuard::Time;

  // `when_abandoned`: done by the guard once it has killed the ranks of an agent that has ended.
  explicit Hold(const Ranks& ranks, std::function<void()> when_abandoned = {})
      : ranks_(ranks), when_abandoned_(std::move(when_abandoned)) {}

  // The ranks may run until then, whatever becomes of this process. What stands still by its doing or the
  // guard's goes on.
  void allow(Time until);

  // They must not run. To be called again and again.
  void stop();

  // More is known of the ranks: their guard learns it, if there is one.
  void ranks_have_changed();

  // They are killed, or about to end: what was stopped is no longer kept in mind, and nobody guards them.
  void forget();

  // They stand still, or the guard is just stopping them.
  [[nodiscard]] bool holds() const { return stops_ || (guard_ && guard_->has_stopped()); }

 private:
  void begin_guard();

  const Ranks& ranks_;
  const std::function<void()> when_abandoned_;
  Standstill standstill_;
  std::unique_ptr<HoldGuard> guard_;
  Time until_;  // the guard rests
  bool stops_ = false;
};

}  // namespace muster::ranks
