#include "core/hang/sample.hpp"

namespace muster::hang {

Sample sample_of(const status::Step& step, std::chrono::nanoseconds time,
                 std::optional<std::int64_t> shown) {
  Sample sample{.time = time, .ranks = step.ranks, .ending = step.ending, .shown = shown};
  for (const auto& node : step.nodes) {
    sample.nodes.push_back({.name = node.name,
                            .started = node.state != "starting",
                            .ranks_up = node.ranks_up,
                            .counts = node.counts});
  }
  return sample;
}

}  // namespace muster::hang
