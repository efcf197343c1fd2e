#include "core/status/status.hpp"

#include <algorithm>

namespace muster::status {
namespace {

using std::chrono::milliseconds;

// When processes end, their counts disappear.
std::int64_t a_second(std::int64_t before, std::int64_t now, milliseconds time) {
  const auto bytes = static_cast<double>(std::max<std::int64_t>(now - before, 0));
  return static_cast<std::int64_t>(bytes * 1000 / static_cast<double>(time.count()));
}

std::optional<Traffic> rate(const std::optional<Traffic>& before, const std::optional<Traffic>& now,
                            milliseconds time) {
  if (!before || !now) return std::nullopt;
  return Traffic{a_second(before->in, now->in, time), a_second(before->out, now->out, time)};
}

std::optional<Rates> rates(const Node& before, const Node& now) {
  if (!before.counts || !now.counts) return std::nullopt;
  const auto time = now.counts->time - before.counts->time;
  if (time <= milliseconds(0)) return std::nullopt;
  return Rates{.network = rate(before.counts->network, now.counts->network, time),
               .rdma = rate(before.counts->rdma, now.counts->rdma, time),
               .files = rate(before.counts->files, now.counts->files, time)};
}

}  // namespace

std::optional<LastOutput> last_output(const Step& step) {
  std::optional<LastOutput> newest;
  std::int64_t bytes = 0;
  for (const auto& node : step.nodes) {
    if (!node.counts || !node.counts->output) continue;
    const auto& output = *node.counts->output;
    bytes += output.bytes;
    if (!newest || output.age < newest->age) newest = output;
  }
  if (newest) newest->bytes = bytes;
  return newest;
}

void add_rates(Step& now, const Step& before) {
  const bool same = now.name == before.name && now.attempt == before.attempt;
  for (std::size_t node = 0; same && node < now.nodes.size(); ++node) {
    if (node < before.nodes.size())
      now.nodes[node].rates = rates(before.nodes[node], now.nodes[node]);
  }
}

bool is_meant(const Step& step, const std::string& name) {
  return name.empty() || step.name == name || step.name.substr(0, step.name.find('.')) == name;
}

}  // namespace muster::status
