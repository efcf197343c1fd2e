#include "core/slow/node_traffic.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace muster::slow {
namespace {

using std::chrono::microseconds;
using namespace std::chrono_literals;

// A small message waits for its answer only: it shows how far the other node is, not how fast the link is.
constexpr std::uint64_t much = std::uint64_t{64} << 10;
constexpr microseconds longest = 24h;

template <class Number>
Number beyond(Number after, Number before) {
  return after > before ? after - before : Number{};
}

}  // namespace

bool Address::is_loopback() const {
  constexpr std::array<unsigned char, 12> of_ipv4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const bool is_ipv4 = std::equal(of_ipv4.begin(), of_ipv4.end(), bytes.begin());
  if (is_ipv4) return bytes[of_ipv4.size()] == 127;
  return bytes.back() == 1 &&
         std::all_of(bytes.begin(), bytes.end() - 1, [](auto byte) { return byte == 0; });
}

void NodeTraffic::count(const Connection& now, const Connection& before) {
  auto& sum = sums_[now.to];
  auto& flow = sum.flow;
  const auto busy =
      std::clamp(beyond(now.busy - now.receiver_full, before.busy - before.receiver_full),
                 microseconds(0), longest);
  flow.bytes += beyond(now.bytes, before.bytes);
  flow.busy += busy;
  flow.segments += beyond(now.segments, before.segments);
  flow.repeated += beyond(now.repeated, before.repeated);
  sum.busy[now.id] += busy;
}

void NodeTraffic::look(const std::vector<Connection>& connections) {
  for (const auto& connection : connections) {
    if (connection.from.is_loopback()) continue;
    if (own_.size() < max_own_addresses) own_.insert(connection.from);
  }
  std::map<std::uint64_t, Connection> now;
  std::map<Address, bool> queued;
  for (const auto& connection : connections) {
    if (now.size() == max_connections) break;
    if (connection.to.is_loopback() || own_.contains(connection.to)) continue;
    seen_ = true;
    now.emplace(connection.id, connection);
    auto& waits = queued[connection.to];
    waits = waits || connection.waiting >= much;
    const auto before = latest_.find(connection.id);
    // The first look at a connection only shows what it did before: in most runs, that is the start.
    if (before != latest_.end()) count(connection, before->second);
  }
  latest_ = std::move(now);
  for (const auto& [to, waits] : queued) {
    auto& flow = sums_[to].flow;
    ++flow.looks;
    flow.queued += waits ? 1 : 0;
  }
}

std::optional<Traffic> NodeTraffic::take() {
  if (!seen_) return std::nullopt;
  Traffic traffic{.own = {own_.begin(), own_.end()}};
  for (auto& [to, sum] : std::exchange(sums_, {})) {
    sum.flow.to = to;
    for (const auto& [id, busy] : sum.busy) sum.flow.most = std::max(sum.flow.most, busy);
    if (sum.flow.bytes > 0) traffic.flows.push_back(sum.flow);
  }
  std::ranges::sort(traffic.flows, std::greater(), &Flow::most);
  if (traffic.flows.size() > max_flows) traffic.flows.resize(max_flows);
  return traffic;
}

}  // namespace muster::slow
