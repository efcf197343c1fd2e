// A made-up step that is observed every 10 seconds, for tests.
#pragma once

#include "core/hang/judge.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace muster::hang {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class TimeLine {
 public:
  explicit TimeLine(std::chrono::nanoseconds limit = minutes(10), std::size_t nodes = 2)
      : judge({.silence = limit, .interval = interval_for(limit)}) {
    now.time = std::chrono::hours(1);
    now.ranks = static_cast<std::uint32_t>(nodes) * 2;
    now.shown = 0;
    for (std::size_t node = 0; node < nodes; ++node) {
      now.nodes.push_back({.name = "node" + std::to_string(node + 1),
                           .started = true,
                           .ranks_up = 2,
                           .counts = status::Counts{.time = seconds(1000),
                                                    .network = status::Traffic(),
                                                    .rdma = status::Traffic(),
                                                    .files = status::Traffic(),
                                                    .output = {},
                                                    .signs = status::Signs()}});
    }
  }

  // Lets time pass; every 10 seconds it calls `happens` and observes the step. Returns each state, in order.
  std::vector<State> pass(std::chrono::nanoseconds time,
                          const std::function<void()>& happens = {}) {
    std::vector<State> states;
    for (std::chrono::nanoseconds passed{0}; passed < time; passed += seconds(10)) {
      tick(seconds(10));
      if (happens) happens();
      states.push_back(judge.take(now));
    }
    return states;
  }

  void tick(std::chrono::nanoseconds time) {
    now.time += time;
    for (auto& node : now.nodes) {
      if (node.counts) node.counts->time += std::chrono::duration_cast<milliseconds>(time);
    }
  }

  status::Counts& counts(std::size_t node) { return *now.nodes.at(node).counts; }

  Judge judge;
  Sample now;
};

inline std::size_t count_of(const std::vector<State>& states, State state) {
  std::size_t count = 0;
  for (const auto each : states) count += each == state ? 1 : 0;
  return count;
}

}  // namespace muster::hang
