#include "core/dump/collectives.hpp"

#include "core/dump/ranks.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

namespace muster::dump {
namespace {

constexpr std::uint32_t max_group_ranks = 65536;

using Members = std::map<std::uint32_t, const GroupProgress*>;
using ByGroup = std::map<std::pair<std::string, std::string>, Members>;

ByGroup by_group(const Looks& looks) {
  ByGroup groups;
  for (const auto& look : looks.processes) {
    if (!look.recorder) continue;
    const auto rank = look.recorder->rank.value_or(look.rank);
    for (const auto& group : look.recorder->groups) {
      groups[{group.group, group.backend}].emplace(rank, &group);
    }
  }
  return groups;
}

bool waits(const GroupProgress& progress) {
  return progress.enqueued > progress.completed && !progress.moves;
}

// The first collective that some rank is waiting in.
std::optional<std::uint64_t> stuck_number(const Members& members) {
  std::optional<std::uint64_t> number;
  for (const auto& [rank, progress] : members) {
    if (!waits(*progress)) continue;
    const auto next = progress->completed + 1;
    number = std::min(number.value_or(next), next);
  }
  return number;
}

// A rank that makes progress is working and may still arrive.
void sort_members(Collective& collective, const Members& members) {
  const auto number = collective.number;
  const bool some_started = std::ranges::any_of(
      members, [&](const auto& member) { return member.second->started >= number; });
  for (const auto& [rank, progress] : members) {
    if (progress->completed >= number || progress->moves) continue;
    const bool late = progress->enqueued < number || (some_started && progress->started < number);
    (late ? collective.missing : collective.waiting).insert(rank);
    if (progress->enqueued != number || progress->operation.empty()) continue;
    collective.operations[progress->operation].insert(rank);
    if (!late) collective.operation = progress->operation;
  }
  if (collective.operations.size() < 2) collective.operations.clear();
}

// From the first rank that knows the members: they are the same for all. Empty if no rank knows them.
std::set<std::uint32_t> ranks_of_group(const Members& members) {
  for (const auto& [rank, progress] : members) {
    if (progress->ranks.empty()) continue;
    try {
      return ranks_of(progress->ranks, max_group_ranks);
    } catch (const Error&) {
      return {};
    }
  }
  return {};
}

void add_silent(Collective& collective, const Members& members,
                const std::set<std::uint32_t>& asked) {
  for (const auto rank : ranks_of_group(members)) {
    if (asked.contains(rank) && !members.contains(rank)) collective.no_answer.insert(rank);
  }
}

}  // namespace

std::vector<Collective> stuck_collectives(const Looks& looks,
                                          const std::set<std::uint32_t>& asked) {
  std::vector<Collective> stuck;
  for (const auto& [key, members] : by_group(looks)) {
    const auto number = stuck_number(members);
    if (!number) continue;
    Collective collective{.group = key.first,
                          .text = members.begin()->second->text,
                          .backend = key.second,
                          .number = *number};
    sort_members(collective, members);
    add_silent(collective, members, asked);
    stuck.push_back(std::move(collective));
  }
  std::ranges::stable_sort(stuck, {}, [](const Collective& each) {
    return std::tuple(each.missing.empty(), each.operations.empty(), each.no_answer.empty());
  });
  return stuck;
}

std::set<std::uint32_t> missing_ranks(const std::vector<Collective>& collectives) {
  std::set<std::uint32_t> missing;
  std::set<std::uint32_t> waiting;
  for (const auto& collective : collectives) {
    missing.insert(collective.missing.begin(), collective.missing.end());
    waiting.insert(collective.waiting.begin(), collective.waiting.end());
  }
  std::set<std::uint32_t> only_missing;
  std::ranges::set_difference(missing, waiting, std::inserter(only_missing, only_missing.begin()));
  return only_missing.empty() ? missing : only_missing;
}

}  // namespace muster::dump
