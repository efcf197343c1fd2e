// Looks after the binding of a node's tasks for the first minutes of a step: soon, then ever more
// seldom, then not at all. Only where the user wants to know (verbose) and can be told.
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

  // Each after the one before.
  static constexpr std::array<std::chrono::seconds, 7> intervals{
      std::chrono::seconds{1}, std::chrono::seconds{2},  std::chrono::seconds{4},
      std::chrono::seconds{8}, std::chrono::seconds{16}, std::chrono::seconds{32},
      std::chrono::seconds{60}};

  // `step`: as the tasks' environment names it. `supervisor`: who tells the user.
  AffinityWatch(AffinityChanges changes, std::string step, channel::Client supervisor);

  // When to look again; nothing when it is over.
  [[nodiscard]] std::optional<Clock::time_point> next() const;

  // Looks, tells what is new, and takes at most about a second.
  void look();

  void forget(std::uint32_t local_id) { changes_.forget(local_id); }

 private:
  AffinityChanges changes_;
  std::string step_;
  channel::Client supervisor_;
  std::string untold_;  // lines that have not reached the supervisor yet
  std::size_t looks_ = 0;
  Clock::time_point next_;
};

}  // namespace muster::affinity_watch
