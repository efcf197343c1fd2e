#include "core/slow/node_arrivals.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace muster::slow {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

constexpr std::size_t max_pending = 4096;       // in a group
constexpr nanoseconds longest_message = 10min;  // from its first arrival to its last one

std::uint32_t operation_in(Piece& piece, const std::string& name) {
  const auto found = std::ranges::find(piece.operations, name);
  if (found != piece.operations.end())
    return static_cast<std::uint32_t>(found - piece.operations.begin());
  if (piece.operations.size() == max_operations) return 0;
  piece.operations.push_back(name);
  return static_cast<std::uint32_t>(piece.operations.size() - 1);
}

microseconds since(nanoseconds base, nanoseconds time) {
  return std::chrono::duration_cast<microseconds>(time - base);
}

}  // namespace

void NodeArrivals::arrive(Pending& pending, std::uint32_t rank, Time time) {
  if (pending.count == 0) {
    pending.count = 1;
    pending.rank = rank;
    pending.first = pending.last = time;
    return;
  }
  ++pending.count;
  pending.first = std::min(pending.first, time);
  const auto earlier = std::min(pending.last, time);
  pending.before = std::max(pending.before.value_or(earlier), earlier);
  if (time <= pending.last) return;
  pending.last = time;
  pending.rank = rank;
}

// `time`: when the host called it, which may be long before the GPU came to it. What a rank took is exact;
// when the collective ended is not, but it is the same moment for all ranks.
void NodeArrivals::take_time(Pending& pending, std::uint32_t rank, Time time, Time took) {
  pending.end = std::max(pending.end, time + took);
  pending.longest = std::max(pending.longest, took);
  if (pending.timed++ == 0) {
    pending.shortest = took;
    pending.shortest_rank = rank;
    return;
  }
  const auto later = std::max(pending.shortest, took);
  pending.second = std::min(pending.second.value_or(later), later);
  if (took >= pending.shortest) return;
  pending.shortest = took;
  pending.shortest_rank = rank;
}

void NodeArrivals::count_back(Pending& pending) {
  pending.rank = pending.shortest_rank;
  pending.first = pending.end - pending.longest;
  pending.last = pending.end - pending.shortest;
  pending.before.reset();
  if (pending.second) pending.before = pending.end - *pending.second;
}

void NodeArrivals::add(const Answer& answer, const Convert& convert) {
  for (const auto& arrival : answer.arrivals) {
    const auto time = convert(arrival.wall);
    if (!time) continue;
    const auto& group = answer.groups.at(arrival.group);
    const auto key = group.name + '/' + group.ranks;
    if (groups_.size() >= 4 * max_groups && !groups_.contains(key)) groups_.clear();
    auto& of = groups_[key];
    const bool pairs = of.group.pairs || group.pairs;
    of.group = group;
    of.group.pairs = pairs;
    auto& newest = of.newest[answer.rank];
    // A group of the same name was made again: torch counts from 1 again.
    if (arrival.number < newest)
      of.pending.erase(of.pending.begin(), of.pending.upper_bound(newest));
    newest = arrival.number;
    of.latest = std::max(of.latest, *time);
    auto& pending = of.pending[arrival.number];
    if (pending.count == 0) pending.operation = answer.operations.at(arrival.operation);
    arrive(pending, answer.rank, *time);
    if (arrival.took) take_time(pending, answer.rank, *time, *arrival.took);
    if (of.pending.size() > max_pending) of.pending.erase(of.pending.begin());
  }
}

void NodeArrivals::take_from(OfGroup& of, Piece& piece) {
  std::uint64_t passed = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [rank, newest] : of.newest) passed = std::min(passed, newest);
  const auto group = static_cast<std::uint32_t>(piece.groups.size());
  bool any = false;
  while (!of.pending.empty() && piece.collectives.size() < max_collectives) {
    const auto first = of.pending.begin();
    const auto number = first->first;
    auto& pending = first->second;
    const bool stays = number > passed && of.latest - pending.last < longest_message;
    const auto span = pending.last - piece.base;
    if (stays || span >= longest_message) break;
    any = true;
    const bool is_timed = pending.timed == pending.count;
    if (is_timed) count_back(pending);
    piece.collectives.push_back({.group = group,
                                 .operation = operation_in(piece, pending.operation),
                                 .number = number,
                                 .count = pending.count,
                                 .rank = pending.rank,
                                 .first = since(piece.base, pending.first),
                                 .last = since(piece.base, pending.last),
                                 .before = {},
                                 .end = {}});
    if (pending.before) piece.collectives.back().before = since(piece.base, *pending.before);
    if (is_timed) piece.collectives.back().end = since(piece.base, pending.end);
    of.pending.erase(first);
  }
  if (any) piece.groups.push_back(of.group);
}

std::optional<Piece> NodeArrivals::take(nanoseconds error) {
  std::optional<nanoseconds> base;
  for (const auto& [key, of] : groups_) {
    for (const auto& [number, pending] : of.pending) {
      base = std::min(base.value_or(pending.first), pending.first);
    }
  }
  if (!base) return std::nullopt;
  Piece piece{.base = *base, .error = error};
  for (auto& [key, of] : groups_) {
    if (piece.groups.size() < max_groups) take_from(of, piece);
  }
  return piece.collectives.empty() ? std::nullopt : std::optional(std::move(piece));
}

}  // namespace muster::slow
