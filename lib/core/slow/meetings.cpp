#include "core/slow/meetings.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace muster::slow {
namespace {

using std::chrono::nanoseconds;

constexpr std::size_t max_parts = 4096;  // in a group
constexpr std::size_t max_groups_of_step = 256;

// Most steps have a few groups; a step with thousands of nodes has thousands of groups, of which these are
// watched.
bool has_room(const auto& groups, const auto& key) {
  return groups.size() < max_groups_of_step || groups.contains(key);
}

}  // namespace

// The nodes' ideas of when it ended differ, but it is the same moment. The latest of them is nearest to it,
// since a host calls a collective before its GPU comes to it. Returns by how much this node's times are too
// early.
nanoseconds Meetings::align(Part& part, const Collective& collective, const Piece& piece) {
  const auto end =
      collective.end ? std::optional<Time>(piece.base + *collective.end) : std::nullopt;
  if (part.nodes == 0) part.end = end;
  if (!part.end || !end) {
    part.end.reset();
    return Time(0);
  }
  if (*end <= *part.end) return *part.end - *end;
  const auto early = *end - *part.end;
  part.end = end;
  part.first += early;
  part.last += early;
  if (part.before) *part.before += early;
  if (part.other_node) *part.other_node += early;
  return Time(0);
}

void Meetings::join(Part& part, std::size_t node, const Collective& collective,
                    const Piece& piece) {
  const auto base = piece.base + align(part, collective, piece);
  const auto first = base + collective.first;
  const auto last = base + collective.last;
  const auto before =
      collective.before ? std::optional<Time>(base + *collective.before) : std::nullopt;
  part.first = part.nodes == 0 ? first : std::min(part.first, first);
  part.count += collective.count;
  part.greatest_error = std::max(part.greatest_error, piece.error);
  const bool is_last = part.nodes++ == 0 || last > part.last;
  const auto later = [](std::optional<Time> one, std::optional<Time> other) {
    return !one || (other && *other > *one) ? other : one;
  };
  if (is_last) {
    if (part.nodes > 1) part.other_node = later(part.other_node, part.last);
    part.before = later(part.nodes > 1 ? std::optional(part.last) : std::nullopt, before);
    part.last = last;
    part.rank = collective.rank;
    part.node = node;
    part.error = piece.error;
  } else {
    part.other_node = later(part.other_node, last);
    part.before = later(part.before, last);
  }
}

void Meetings::add_to(OfGroup& of, std::size_t node, const Collective& collective,
                      const Piece& piece) {
  // A group of the same name was made again: torch counts from 1 again.
  if (collective.number <= of.done && piece.base + collective.first > of.done_at) {
    of.parts.clear();
    of.newest.clear();
    of.done = 0;
  }
  if (collective.number <= of.done) return;
  of.newest[node] = collective.number;
  auto& part = of.parts[collective.number];
  if (part.operation.empty() && collective.operation < piece.operations.size())
    part.operation = piece.operations[collective.operation];
  join(part, node, collective, piece);
  if (of.parts.size() > max_parts) of.parts.erase(of.parts.begin());
}

void Meetings::add(std::size_t node, const Piece& piece) {
  for (const auto& collective : piece.collectives) {
    if (collective.group >= piece.groups.size()) continue;
    const auto& group = piece.groups[collective.group];
    const auto key = group.name + '/' + group.ranks;
    if (!has_room(groups_, key)) continue;
    auto& of = groups_[key];
    const bool pairs = of.group.pairs || group.pairs;
    of.group = group;
    of.group.pairs = pairs;
    add_to(of, node, collective, piece);
  }
}

void Meetings::take_from(OfGroup& of, std::vector<Meeting>& meetings) {
  std::uint64_t passed = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [node, newest] : of.newest) passed = std::min(passed, newest);
  while (!of.parts.empty()) {
    const auto& [number, part] = *of.parts.begin();
    const bool complete = part.count == of.group.size;
    if (!complete && number > passed) return;
    of.done = number;
    of.done_at = std::max(of.done_at, part.last);
    if (complete && part.before) {
      meetings.push_back(
          {.number = number,
           .operation = part.operation,
           .rank = part.rank,
           .node = part.node,
           .nodes = part.nodes,
           .first = part.first,
           .last = part.last,
           .before = *part.before,
           .other_node = part.other_node,
           .error = part.nodes > 1 && !part.end ? part.error + part.greatest_error : Time(0)});
    }
    of.parts.erase(of.parts.begin());
  }
}

std::vector<GroupMeetings> Meetings::take() {
  std::vector<GroupMeetings> all;
  for (auto& [key, of] : groups_) {
    GroupMeetings found{.group = of.group};
    take_from(of, found.meetings);
    if (!found.meetings.empty() || of.group.pairs) all.push_back(std::move(found));
  }
  return all;
}

void Meetings::leave(std::size_t node) {
  for (auto& [key, of] : groups_) of.newest.erase(node);
}

}  // namespace muster::slow
