#include "core/slow/links.hpp"

#include "core/contains.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

namespace muster::slow {
namespace {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;

constexpr std::size_t max_addresses = std::size_t{1} << 17;
constexpr std::size_t max_links = std::size_t{1} << 14;
constexpr std::size_t max_suspects = 16;  // the most expensive ones, so that a look costs little
// Looks at the latest minute. A link that carries something only now and then is judged by the latest slots
// in which it did, if these are not too long ago.
constexpr nanoseconds slot_time = 10s;
constexpr std::int64_t slots_of_window = 6;
constexpr std::int64_t oldest_slot = 60;
// In a slot that counts: small messages only show how busy a node is.
constexpr double least_bytes = 1 << 20;
constexpr double least_busy = 0.004;  // seconds; the kernel counts in ticks
constexpr double about_as_much = 8;   // times as many bytes, or as few
// With only one other link, the difference has to be clearer.
constexpr double of_one = 0.5;
constexpr double steady_share = 0.8;   // of the slots
constexpr double notable_share = 0.1;  // of what a node's worst link loses
// Data queues up in a link that is too narrow for it for most of the time in which it is busy.
constexpr double queued_share = 0.4;
constexpr double least_queued = 3;
constexpr double repeated_share = 0.005;
constexpr double least_repeated = 20;

double seconds(auto time) {
  return std::chrono::duration<double>(time).count();
}

double fastest(const auto& sum) {
  return sum.bytes / std::max(sum.most, least_busy);
}

double slowest(const auto& sum) {
  return sum.bytes / std::max(sum.busy, least_busy);
}

void add_to(auto& sum, const auto& more) {
  sum.bytes += more.bytes;
  sum.busy += more.busy;
  sum.most += more.most;
  sum.segments += more.segments;
  sum.repeated += more.repeated;
  sum.looks += more.looks;
  sum.queued += more.queued;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool carry_about_as_much(const auto& one, const auto& other) {
  return one.bytes <= about_as_much * other.bytes && other.bytes <= about_as_much * one.bytes;
}

}  // namespace

bool SlowLink::touches(std::size_t node) const {
  return std::ranges::any_of(
      links, [node](const auto& link) { return link.first == node || link.second == node; });
}

bool SlowLink::overlaps(const SlowLink& other) const {
  return std::ranges::any_of(links,
                             [&other](const auto& link) { return contains(other.links, link); });
}

void Links::own(std::size_t node, const Address& address) {
  const auto found = owners_.find(address);
  if (found == owners_.end()) {
    if (owners_.size() < max_addresses) owners_.emplace(address, node);
  } else if (found->second != node) {
    found->second.reset();
  }
}

void Links::count(const Link& link, const Flow& flow, Slot slot) {
  if (links_.size() >= max_links && !links_.contains(link)) return;
  auto& sums = links_[link];
  if (!sums.empty() && sums.back().slot != slot && sums.back().bytes < least_bytes) sums.pop_back();
  if (sums.empty() || sums.back().slot != slot) sums.push_back({.slot = slot});
  if (sums.size() > static_cast<std::size_t>(slots_of_window) + 1) sums.pop_front();
  add_to(sums.back(), Sum{.bytes = static_cast<double>(flow.bytes),
                          .busy = seconds(flow.busy),
                          .most = seconds(flow.most),
                          .segments = static_cast<double>(flow.segments),
                          .repeated = static_cast<double>(flow.repeated),
                          .looks = static_cast<double>(flow.looks),
                          .queued = static_cast<double>(flow.queued)});
}

void Links::add(std::size_t node, const Traffic& traffic, Time now) {
  for (const auto& address : traffic.own) own(node, address);
  for (const auto& flow : traffic.flows) {
    const auto owner = owners_.find(flow.to);
    if (owner == owners_.end() || !owner->second || *owner->second == node) continue;
    if (!begin_) begin_ = now;
    if (now < *begin_ + limits_.warm_up) continue;
    count({node, *owner->second}, flow, (now - *begin_) / slot_time);
  }
}

bool Links::would_know(Time since, Time now) const {
  if (!begin_) return true;
  constexpr auto window = (slots_of_window + 1) * slot_time;
  return now >= *begin_ + limits_.warm_up + window && now >= since + window / 2;
}

// The links whose latest complete slots suffice.
std::vector<Links::Seen> Links::seen_by(Slot slot) const {
  std::vector<Seen> all;
  for (const auto& [link, sums] : links_) {
    Seen seen{.link = link, .sum = {}};
    for (auto sum = sums.rbegin(); sum != sums.rend(); ++sum) {
      if (sum->slot >= slot || sum->bytes < least_bytes) continue;
      if (sum->slot < slot - oldest_slot || seen.parts.size() == slots_of_window) break;
      add_to(seen.sum, *sum);
      seen.parts.push_back(*sum);
    }
    if (seen.parts.size() < slots_of_window) continue;
    seen.time = static_cast<double>(slot - seen.parts.back().slot) * seconds(slot_time);
    seen.sum.most = std::min(seen.sum.most, seen.time);
    all.push_back(std::move(seen));
  }
  return all;
}

template <class Keep>
Links::Compared Links::compare(const Seen& seen, const std::vector<Seen>& all, const Rules& rules,
                               const Keep& keep) {
  std::vector<double> fast;
  std::vector<double> slow;
  for (const auto& other : all) {
    if (other.link == seen.link || !keep(other.link) || !carry_about_as_much(other.sum, seen.sum))
      continue;
    fast.push_back(fastest(other.sum));
    slow.push_back(slowest(other.sum));
  }
  if (fast.empty()) return {};
  Compared found{.count = fast.size()};
  found.others = median(std::move(fast));
  const auto others_together = median(std::move(slow));
  const auto far_below = rules.far_below * (found.count == 1 ? of_one : 1);
  const auto is_far_below = [&](const Sum& sum) {
    return fastest(sum) < far_below * found.others && slowest(sum) < far_below * others_together;
  };
  found.ratio = std::max(fastest(seen.sum) / found.others, slowest(seen.sum) / others_together);
  const auto slots = static_cast<double>(std::ranges::count_if(seen.parts, is_far_below));
  found.is_slow = is_far_below(seen.sum) &&
                  (!rules.steady || slots >= steady_share * static_cast<double>(seen.parts.size()));
  return found;
}

// Whether it costs enough, and is slow because it is narrow or loses data.
bool Links::is_suspect(const Seen& seen, const Compared& compared, const Rules& rules) {
  if (!compared.is_slow) return false;
  const auto& sum = seen.sum;
  const auto busy = sum.most / seen.time;
  if (100 * busy * (1 - compared.ratio) < rules.percent) return false;
  const bool queues = sum.queued >= std::max(least_queued, queued_share * busy * sum.looks);
  const bool repeats =
      sum.repeated >= least_repeated && sum.repeated >= repeated_share * sum.segments;
  return queues || repeats;
}

namespace {

SlowLink described(const auto& seen, const auto& compared) {
  const auto busy = seen.sum.most / seen.time;
  return {.from = seen.link.from,
          .to = seen.link.to,
          .speed = fastest(seen.sum),
          .others = compared.others,
          .busy_share = busy,
          .repeated_share = seen.sum.repeated / std::max(seen.sum.segments, 1.0),
          .lost_share = busy * (1 - compared.ratio),
          .links = {{seen.link.from, seen.link.to}}};
}

bool is_of(const auto& link, std::size_t node, Direction direction) {
  const bool out = direction != Direction::in && link.from == node;
  const bool in = direction != Direction::out && link.to == node;
  return out || in;
}

}  // namespace

namespace {

// A link may lose a little only because its acknowledgements have to go through a narrow link of its node.
std::vector<SlowLink> without_shadows(const std::vector<SlowLink>& found) {
  std::vector<SlowLink> kept;
  for (const auto& link : found) {
    const auto hides = [&link](const SlowLink& worse) {
      return link.lost_share < notable_share * worse.lost_share &&
             (worse.touches(link.from) || (link.to && worse.touches(*link.to)));
    };
    if (std::ranges::none_of(kept, hides)) kept.push_back(link);
  }
  return kept;
}

}  // namespace

// All of the node's links to at least two nodes are slow beside those that do not touch it, and all of them
// lose a notable part: one of which only the acknowledgements meet the slow link may be a little slower.
std::optional<SlowLink> Links::judge_network(std::size_t node, Direction direction,
                                             const std::vector<Seen>& all, const Rules& rules) {
  std::optional<SlowLink> worst;
  std::set<std::size_t> peers;
  bool any_is_suspect = false;
  double least_lost = 1;
  std::vector<std::pair<std::size_t, std::size_t>> links;
  const auto elsewhere = [node](const Link& link) { return !is_of(link, node, Direction::both); };
  for (const auto& seen : all) {
    if (!is_of(seen.link, node, direction)) continue;
    const auto compared = compare(seen, all, rules, elsewhere);
    if (compared.count == 0) continue;  // it carries little beside the others
    if (!compared.is_slow) return std::nullopt;
    any_is_suspect = any_is_suspect || is_suspect(seen, compared, rules);
    peers.insert(seen.link.from == node ? seen.link.to : seen.link.from);
    const auto found = described(seen, compared);
    links.insert(links.end(), found.links.begin(), found.links.end());
    least_lost = std::min(least_lost, found.lost_share);
    if (!worst || found.lost_share > worst->lost_share) worst = found;
  }
  if (!any_is_suspect || peers.size() < 2) return std::nullopt;
  if (least_lost < notable_share * worst->lost_share) return std::nullopt;
  worst->from = node;
  worst->to.reset();
  worst->direction = direction;
  worst->links = std::move(links);
  return worst;
}

std::vector<SlowLink> Links::judge(Time now, const Rules& rules) const {
  if (!begin_) return {};
  const auto all = seen_by((now - *begin_) / slot_time);
  if (all.empty()) return {};
  std::vector<double> speeds;
  for (const auto& seen : all) speeds.push_back(fastest(seen.sum));
  const auto usual = median(std::move(speeds));
  const auto cost = [usual](const Seen* seen) {
    return seen->sum.most * (1 - std::min(fastest(seen->sum) / usual, 1.0));
  };
  std::vector<const Seen*> candidates;
  for (const auto& seen : all) {
    if (100 * seen.sum.most >= rules.percent * seen.time) candidates.push_back(&seen);
  }
  std::ranges::sort(candidates, std::greater(), cost);
  if (candidates.size() > max_suspects) candidates.resize(max_suspects);
  std::vector<SlowLink> found;
  std::set<std::size_t> nodes;
  for (const auto* const seen : candidates) nodes.insert({seen->link.from, seen->link.to});
  for (const auto node : nodes) {
    for (const auto direction : {Direction::both, Direction::out, Direction::in}) {
      const auto network = judge_network(node, direction, all, rules);
      if (!network) continue;
      found.push_back(*network);
      break;
    }
  }
  const auto networks = found;
  for (const auto* const seen : candidates) {
    const auto is_part = [seen](const SlowLink& network) {
      return is_of(seen->link, network.from, network.direction);
    };
    if (std::ranges::any_of(networks, is_part)) continue;
    const auto compared = compare(*seen, all, rules, [](const Link&) { return true; });
    if (is_suspect(*seen, compared, rules)) found.push_back(described(*seen, compared));
  }
  std::ranges::sort(found, std::greater(), &SlowLink::lost_share);
  return without_shadows(found);
}

std::vector<SlowLink> Links::look(Time now) const {
  return judge(now, {.percent = limits_.percent, .far_below = 0.5, .steady = true});
}

std::vector<SlowLink> Links::look_again(Time now) const {
  return judge(now, {.percent = limits_.percent / 2, .far_below = 0.7, .steady = false});
}

}  // namespace muster::slow
