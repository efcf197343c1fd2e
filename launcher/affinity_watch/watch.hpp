// Watches the binding of a node's tasks for the first minutes of a step: soon, then less and less
// often, then no more. Only if the user asked for it (verbose) and a supervisor can show the lines.
#pragma once

#include "launcher/affinity_watch/changes.hpp"
#include "launcher/channel/client.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace muster::affinity_watch {

class AffinityWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // Each one is counted from the one before.
  static constexpr std::array<std::chrono::seconds, 7> intervals{
      std::chrono::seconds{1}, std::chrono::seconds{2},  std::chrono::seconds{4},
      std::chrono::seconds{8}, std::chrono::seconds{16}, std::chrono::seconds{32},
      std::chrono::seconds{60}};

  // `step`: as the tasks' environment names it. `supervisor`: shows the lines to the user.
  AffinityWatch(AffinityChanges changes, std::string step, channel::Client supervisor);

  // When to look again; nothing when it is over.
  [[nodiscard]] std::optional<Clock::time_point> next() const;

  // Looks once and reports what is new; takes about a second at most.
  void look();

  void forget(std::uint32_t local_id) { changes_.forget(local_id); }

 private:
  AffinityChanges changes_;
  std::string step_;
  channel::Client supervisor_;
  std::string unsent_;  // lines that have not reached the supervisor yet
  std::size_t looks_ = 0;
  Clock::time_point next_;
};

}  // namespace muster::affinity_watch
