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
    if (!time || std::chrono::abs(*time) > longest_step) continue;
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

// Up to the first that has to wait for a rank of this node.
NodeArrivals::Ready NodeArrivals::ready(const OfGroup& of) {
  std::uint64_t passed = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [rank, newest] : of.newest) passed = std::min(passed, newest);
  return std::ranges::find_if(of.pending, [&](const auto& each) {
    return each.first > passed && of.latest - each.second.last < longest_message;
  });
}

void NodeArrivals::take_from(OfGroup& of, Piece& piece) {
  const auto end = ready(of);
  const auto group = static_cast<std::uint32_t>(piece.groups.size());
  bool any = false;
  for (auto first = of.pending.begin(); first != end && piece.collectives.size() < max_in_piece;
       first = of.pending.erase(first)) {
    const auto number = first->first;
    auto& pending = first->second;
    if (pending.last - piece.base >= longest_message) break;
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
  }
  if (any) piece.groups.push_back(of.group);
}

// Those that have to wait do not hold up the others: a group may be given up in the middle of a collective.
std::optional<Piece> NodeArrivals::take(nanoseconds error) {
  std::optional<nanoseconds> base;
  for (const auto& [key, of] : groups_) {
    const auto end = ready(of);
    for (auto each = of.pending.begin(); each != end; ++each)
      base = std::min(base.value_or(each->second.first), each->second.first);
  }
  if (!base) return std::nullopt;
  Piece piece{.base = *base, .error = std::min(error, greatest_error)};
  for (auto& [key, of] : groups_) {
    if (piece.groups.size() < max_groups) take_from(of, piece);
  }
  return piece.collectives.empty() ? std::nullopt : std::optional(std::move(piece));
}

}  // namespace muster::slow
