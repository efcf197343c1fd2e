#include "core/hang/sample.hpp"

#include "core/at_store.hpp"

namespace muster::hang {
namespace {

constexpr std::size_t max_columns = 200;

}  // namespace

Sample sample_of(const status::Step& step, std::chrono::nanoseconds time,
                 std::optional<std::int64_t> shown) {
  Sample sample{.time = time, .ranks = step.ranks, .ending = step.ending, .shown = shown};
  std::vector<NodeAtStore> at_store;
  for (const auto& node : step.nodes) {
    sample.nodes.push_back({.name = node.name,
                            .started = node.state != "starting",
                            .ranks_up = node.ranks_up,
                            .counts = node.counts});
    at_store.push_back({node.name, node.counts ? node.counts->store : std::nullopt});
  }
  sample.rendezvous = at_store_text(at_store, step.ranks, max_columns);
  return sample;
}

}  // namespace muster::hang
