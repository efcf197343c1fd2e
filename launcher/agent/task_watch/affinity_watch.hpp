// Watches the binding of a node's tasks during the first minutes of a step: soon, then less and less often,
// then no more. Used only if the user asked for it (verbose) and a supervisor can show the lines.
#pragma once

#include "launcher/agent/task_watch/affinity_changes.hpp"
#include "launcher/agent/task_watch/look_times.hpp"
#include "launcher/channel/client.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::task_watch {

class AffinityWatch {
 public:
  using Clock = LookTimes::Clock;

  // `step`: as in the tasks' environment. `supervisor`: shows the lines to the user.
  AffinityWatch(AffinityChanges changes, std::string step, channel::Client supervisor);

  // When to look again; no value when the watch is over.
  [[nodiscard]] std::optional<Clock::time_point> next() const;

  // Looks once and reports what is new; takes at most about a second.
  void look();

  void forget(std::uint32_t local_id) { changes_.forget(local_id); }

 private:
  AffinityChanges changes_;
  std::string step_;
  channel::Client supervisor_;
  std::string unsent_;  // lines that have not reached the supervisor yet
  LookTimes times_;
};

}  // namespace muster::task_watch
