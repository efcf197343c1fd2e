// What the silence of nodes means for the supervisor: theirs, or its own. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <span>

namespace muster::watch {

// Whether this process has not run for a while, though somebody was to wake it: it was stopped, or its
// machine slept. What it did not hear meanwhile is nobody's fault.
class OwnSleep {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit OwnSleep(std::chrono::milliseconds heartbeat) : heartbeat_(heartbeat) {}

  // By then at the latest somebody calls look() again.
  [[nodiscard]] Time next(Time now) const { return now + heartbeat_ / 4; }

  // From now on somebody calls look(), until rest().
  void start(Time now) { last_ = last_.value_or(now); }
  void rest() { last_.reset(); }

  // At each event. Returns how long it has slept since the last one; 0 where it has not.
  std::chrono::nanoseconds look(Time now);

 private:
  const std::chrono::milliseconds heartbeat_;
  std::optional<Time> last_;
};

// `heard`: when each watched node was last heard. True if at least two nodes, and all of them, became silent
// at the same moment: then this host is cut off, not the nodes.
bool is_own_side(std::span<const OwnSleep::Time> heard, std::chrono::milliseconds heartbeat);

// If another attempt may follow, a supervisor that hears no node waits this long before it gives them up.
inline constexpr std::chrono::minutes time_without_any_node{5};

}  // namespace muster::watch
