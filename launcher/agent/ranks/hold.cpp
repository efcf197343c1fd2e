#include "launcher/agent/ranks/hold.hpp"

namespace muster::ranks {
namespace {

// If the agent does not check its suspended ranks for this long, the guard takes over.
constexpr std::chrono::milliseconds look_timeout{500};

}  // namespace

// The new guard starts before the old one ends, so the ranks are always guarded.
void Hold::begin_guard() {
  const auto old =
      std::exchange(guard_, std::make_unique<HoldGuard>(ranks_, until_, holds(), when_abandoned_));
  if (!old) return;
  for (const auto& key : old->end()) standstill_.add(key);
  stops_ = stops_ || old->has_stopped();
  guard_->set_held(stops_);
}

void Hold::allow(Time until) {
  until_ = until;
  if (guard_) guard_->rest_until(until);
  if (!holds()) {
    if (!guard_ || !guard_->runs()) begin_guard();
    return;
  }
  stops_ = true;
  begin_guard();
  standstill_.go_on();
  stops_ = false;
  guard_->set_held(false);
}

void Hold::begin_stop() {
  until_ = HoldGuard::Time::clock::now() + look_timeout;
  stops_ = true;
  if (!guard_ || !guard_->runs()) begin_guard();
  guard_->rest_until(until_);
  guard_->set_held(true);
}

void Hold::stop() {
  begin_stop();
  standstill_.stop(ranks_);
}

void Hold::keep() {
  begin_stop();
}

std::set<Standstill::Key> Hold::stopped() const {
  auto stopped = standstill_.stopped();
  for (const auto& key : guard_ ? guard_->stopped() : std::vector<Standstill::Key>())
    stopped.insert(key);
  return stopped;
}

void Hold::ranks_have_changed() {
  if (guard_) begin_guard();
}

void Hold::forget() {
  guard_.reset();
  standstill_.forget();
  stops_ = false;
}

}  // namespace muster::ranks
