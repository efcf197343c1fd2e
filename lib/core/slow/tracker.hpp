// slow= for one attempt: from what the agents tell to who is named. Pure; time is given.
#pragma once

#include "core/slow/judge.hpp"
#include "core/slow/meetings.hpp"
#include "core/slow/named.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::slow {

inline constexpr std::size_t max_named = 8;  // in an attempt

class Tracker {
 public:
  explicit Tracker(const Limits& limits) : judge_(limits) {}

  void add(std::size_t node, const Piece& piece) { meetings_.add(node, piece); }
  // The node tells nothing more.
  void leave(std::size_t node) { meetings_.leave(node); }

  // Call it now and then. Returns the indexes in named() of those that were not named before.
  std::vector<std::size_t> look(std::chrono::nanoseconds now,
                                const std::function<std::string(std::size_t node)>& name_of);

  // Why it is slow, in words: "its CPUs are throttled".
  void explain(std::size_t index, std::string cause) { named_.at(index).cause = std::move(cause); }

  // In the order in which they were named.
  [[nodiscard]] const std::vector<Named>& named() const { return named_; }
  [[nodiscard]] std::size_t node_of(std::size_t index) const { return nodes_.at(index); }

 private:
  std::optional<std::size_t> index_of(const Suspect& suspect) const;
  void update(Named& named, const Suspect& suspect) const;

  Meetings meetings_;
  Judge judge_;
  std::vector<Named> named_;
  std::vector<std::size_t> nodes_;  // of each entry of named_
  std::optional<std::chrono::nanoseconds> looked_;
};

}  // namespace muster::slow
