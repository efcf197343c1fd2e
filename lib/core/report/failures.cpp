#include "core/report/failures.hpp"

#include "core/report/attribution.hpp"
#include "core/report/exit_status.hpp"
#include "core/report/moments.hpp"
#include "core/report/peer_loss.hpp"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <map>
#include <utility>

namespace muster::report {
namespace {

// Between a process's last socket closing and its end, and between the ranks of a program that ends well.
constexpr std::chrono::seconds end_time{1};

constexpr std::size_t max_suspects = 64;

bool succeeded(const RankEnd& end) {
  return exit_code(end.wait_status) == 0;
}

// muster killed the process, but it had already written its exception: it was about to exit, or hung while
// exiting.
bool raised_before_ending(const Record& record, const RankEnd& end) {
  if (!end.exception || !end.exception->time || !record.ending) return false;
  return surely_before(*end.exception->time, *record.ending);
}

// If the file is older than the launch or newer than the process's end, its clock has jumped.
Moment time_of_failure(const Record& record, const RankEnd& end) {
  if (!end.exception || !end.exception->time) return end.time;
  const Moment& raised = *end.exception->time;
  const bool plausible =
      !surely_before(raised, record.launched) && !surely_before(end.time, raised);
  return plausible ? raised : end.time;
}

std::string node_of(const Record& record, std::size_t index) {
  if (index >= record.node_of.size()) return {};
  const auto node = record.node_of[index];
  return node < record.nodes.size() ? record.nodes[node].name : std::string();
}

FailedRank as_failed(const Record& record, std::size_t index) {
  const RankEnd& end = record.ends[index];
  return {end, node_of(record, index), time_of_failure(record, end), lost_peer(end)};
}

bool earlier(const FailedRank& left, const FailedRank& right) {
  return std::pair(left.time.time, left.end.place.rank) <
         std::pair(right.time.time, right.end.place.rank);
}

// A node's clock error is the same for two ranks on that node.
bool of_the_same_instant(const FailedRank& first, const FailedRank& other) {
  if (first.node != other.node) return !surely_before(first.time, other.time);
  const auto own_error = first.time.error > other.time.error
                             ? between({other.time.error, {}}, {first.time.error, {}})
                             : between({first.time.error, {}}, {other.time.error, {}});
  return between(first.time, other.time) <= own_error;
}

bool same_failure(const RankEnd& left, const RankEnd& right) {
  if (left.exception || right.exception) {
    return left.exception && right.exception && left.exception->message == right.exception->message;
  }
  return left.wait_status == right.wait_status;
}

struct Sorted {
  std::vector<FailedRank> candidates;  // for the first failure, ordered by time
  std::vector<FailedRank> ended;       // by muster
  std::vector<FailedRank> successes;
};

// The only rank among those that muster stopped whose own lines have an exception that blames no peer: it was
// about to exit. If there are several, they may have raised it because they were asked to stop.
const RankEnd* only_one_that_raised(const Record& record) {
  const auto has = [](const RankEnd& end) {
    return end.ended_by_muster && !end.exception && says_why(end);
  };
  const auto found = std::ranges::find_if(record.ends, has);
  return std::ranges::count_if(record.ends, has) == 1 ? &*found : nullptr;
}

Sorted sort_ends(const Record& record) {
  Sorted sorted;
  const RankEnd* const only = only_one_that_raised(record);
  for (std::size_t i = 0; i < record.ends.size(); ++i) {
    const RankEnd& end = record.ends[i];
    const bool raised = end.ended_by_muster && (raised_before_ending(record, end) || &end == only);
    auto& list = raised                ? sorted.candidates
                 : succeeded(end)      ? sorted.successes
                 : end.ended_by_muster ? sorted.ended
                                       : sorted.candidates;
    list.push_back(as_failed(record, i));
  }
  std::ranges::sort(sorted.candidates, earlier);
  std::ranges::sort(sorted.successes, earlier);
  return sorted;
}

VictimKind kind_of(const FailedRank& victim, const std::optional<FailedRank>& first) {
  if (victim.lost_peer) return VictimKind::lost_peer;
  if (first && same_failure(first->end, victim.end)) return VictimKind::same_failure;
  const auto signal = end_signal(victim.end.wait_status);
  if (signal == SIGKILL || signal == SIGTERM) return VictimKind::killed;
  return VictimKind::later_failure;
}

class VictimLists {
 public:
  void add(VictimKind kind, const FailedRank& victim) {
    lists_[kind].push_back(victim.end.place.rank);
  }

  std::vector<Victims> take() {
    std::vector<Victims> victims;
    for (auto& [kind, ranks] : lists_) {
      std::ranges::sort(ranks);
      victims.push_back({kind, std::move(ranks)});
    }
    return victims;
  }

 private:
  std::map<VictimKind, std::vector<std::uint32_t>> lists_;
};

// Peers see a rank's sockets close before its process has ended, and a large process may take long to end.
bool is_missed(const FailedRank& left, const FailedRank& first) {
  if (first.lost_peer) return between(first.time, left.time) <= end_time;
  return surely_before(later_by(left.time, end_time), first.time);
}

// The other ranks may have failed because a rank exited with 0 before them. But if the failure does not blame
// a peer, and most ranks exited earlier, that was just the normal end of a program.
std::vector<FailedRank> left_early(const std::vector<FailedRank>& successes,
                                   const FailedRank& first, std::size_t ranks) {
  std::vector<FailedRank> left;
  std::ranges::copy_if(successes, std::back_inserter(left),
                       [&first](const FailedRank& rank) { return is_missed(rank, first); });
  if (!first.lost_peer && left.size() * 2 > ranks) left.clear();
  return left;
}

// Ranks that exited with 0 while others still ran, so that the others may have lost them. If most ranks did
// so, the program had reached its end.
std::vector<FailedRank> left_before(const Sorted& sorted, std::size_t ranks) {
  const FailedRank& first = sorted.candidates.front();
  std::vector<FailedRank> left;
  std::ranges::copy_if(sorted.successes, std::back_inserter(left), [&first](const auto& rank) {
    return between(first.time, rank.time) <= end_time;
  });
  if (left.size() * 2 > ranks) left.clear();
  return left;
}

// The likeliest first: ranks that failed by themselves, then those that had left, then those that muster
// stopped.
std::vector<FailedRank> suspects_of(const Attribution& attribution, const Sorted& sorted,
                                    const std::vector<FailedRank>& left) {
  if (attribution.certain) return {};
  std::vector<FailedRank> suspects;
  for (const auto index : attribution.suspects) suspects.push_back(sorted.candidates[index]);
  if (attribution.of_others) {
    std::ranges::copy(left, std::back_inserter(suspects));
    std::ranges::copy(sorted.ended, std::back_inserter(suspects));
  }
  if (suspects.size() > max_suspects) suspects.resize(max_suspects);
  return suspects;
}

}  // namespace

Failures find_failures(const Record& record) {
  Sorted sorted = sort_ends(record);
  Failures failures;
  VictimLists victims;
  for (const auto& rank : sorted.ended) victims.add(VictimKind::ended_by_muster, rank);
  if (!sorted.candidates.empty()) {
    const auto left = left_before(sorted, record.ends.size());
    const auto attribution =
        attribute(sorted.candidates, {.ended = sorted.ended.size(), .left = left.size()});
    failures.first = sorted.candidates[attribution.first];
    failures.left_early = left_early(sorted.successes, *failures.first, record.ends.size());
    failures.certain = attribution.certain;
    failures.suspects = suspects_of(attribution, sorted, left);
    sorted.candidates.erase(sorted.candidates.begin() +
                            static_cast<std::ptrdiff_t>(attribution.first));
  }
  for (auto& rank : sorted.candidates) {
    const auto kind = kind_of(rank, failures.first);
    const bool beside = kind == VictimKind::killed || kind == VictimKind::later_failure;
    if (beside && of_the_same_instant(*failures.first, rank)) {
      failures.others.push_back(std::move(rank));
    } else {
      victims.add(kind, rank);
    }
  }
  failures.victims = victims.take();
  return failures;
}

Failures only_victims(const Record& record) {
  const Sorted sorted = sort_ends(record);
  VictimLists victims;
  for (const auto& rank : sorted.ended) victims.add(VictimKind::ended_by_muster, rank);
  for (const auto& rank : sorted.candidates) victims.add(kind_of(rank, std::nullopt), rank);
  Failures failures;
  failures.victims = victims.take();
  return failures;
}

}  // namespace muster::report
