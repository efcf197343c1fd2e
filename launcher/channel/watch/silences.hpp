// What silence means to the supervisor: either the nodes are silent, or the supervisor itself was not
// listening. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <span>

namespace muster::watch {

// Detects that this process did not run for a while although it should have been woken up: it, or its
// machine, was suspended. No node is to blame for what this process did not hear during that time.
class OwnSleep {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit OwnSleep(std::chrono::milliseconds heartbeat) : heartbeat_(heartbeat) {}

  // The latest time at which look() must be called again.
  [[nodiscard]] Time next(Time now) const { return now + heartbeat_ / 4; }

  // From now on look() is called regularly, until rest().
  void start(Time now) { last_ = last_.value_or(now); }
  void rest() { last_.reset(); }

  // Call it on each event. Returns how long this process has been suspended since the last call; 0 if it has
  // not.
  std::chrono::nanoseconds look(Time now);

 private:
  const std::chrono::milliseconds heartbeat_;
  std::optional<Time> last_;
};

// `heard`: when each watched node was last heard from. True if there are at least two nodes and all of them
// became silent at the same moment: in that case this host is cut off, not the nodes.
bool is_own_side(std::span<const OwnSleep::Time> heard, std::chrono::milliseconds heartbeat);

// If another attempt may follow, a supervisor that hears from no node waits this long before it gives them
// up.
inline constexpr std::chrono::minutes time_without_any_node{5};

}  // namespace muster::watch
