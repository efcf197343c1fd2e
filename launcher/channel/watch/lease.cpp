#include "launcher/channel/watch/lease.hpp"

#include <algorithm>

namespace muster::watch {

using std::chrono::nanoseconds;

void Lease::answered(Time sent) {
  asked_ = std::max(sent, asked_.value_or(sent));
  refusals_ = 0;
  if (doubted_ && *asked_ > *doubted_) doubted_.reset();
}

void Lease::doubt(Time now) {
  if (asked_ && fences_) doubted_ = now;
}

// The lease of a suspended supervisor starts to run when it is no longer certain that the supervisor is
// suspended.
void Lease::pause(bool paused, Time now) {
  if (paused_ && !paused && asked_) asked_ = std::max(*asked_, now);
  paused_ = paused;
}

bool Lease::is_valid(Time now) const {
  if (!fences_ || !asked_ || paused_) return true;
  return !doubted_ && now - *asked_ < fence_time(heartbeat_);
}

Standing Lease::judge(Time now, bool suspended) {
  const nanoseconds interval = beat_interval(heartbeat_);
  const nanoseconds passed =
      suspended ? nanoseconds{0}
                : std::clamp<nanoseconds>(now - judged_, nanoseconds{0}, 2 * interval);
  judged_ = now;
  next_ = now + std::chrono::duration_cast<Time::duration>(interval);
  constexpr int max_refusals = 3;
  const nanoseconds most =
      refusals_ >= max_refusals ? nanoseconds{0} : nanoseconds(hold_time(heartbeat_));
  if (held_ && *held_ >= most) return Standing::fence;
  if (is_valid(now)) {
    held_.reset();
    if (fences_ && asked_ && !paused_) next_ = std::min(next_, *asked_ + fence_time(heartbeat_));
    return Standing::go_on;
  }
  held_ = held_ ? *held_ + passed : nanoseconds{0};
  return *held_ >= most ? Standing::fence : Standing::hold;
}

std::optional<Lease::Time> Lease::until(Time now) const {
  if (!fences_ || !asked_) return std::nullopt;
  return (paused_ ? now : *asked_) + fence_time(heartbeat_);
}

nanoseconds Lease::silence(Time now) const {
  return asked_ && !paused_ ? nanoseconds(now - *asked_) : nanoseconds{0};
}

}  // namespace muster::watch
