#include "core/slow/judge.hpp"

#include "core/text/list.hpp"
#include "core/text/number.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace muster::slow {
namespace {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;

// Looks at the latest minute, or at as many rounds as a judgement needs.
constexpr nanoseconds window = 60s;
constexpr std::size_t rounds_of_window = 50;
constexpr std::size_t least_rounds = 40;
constexpr nanoseconds least_time = 30s;
constexpr std::size_t max_rounds = 4096;
constexpr std::size_t warm_up_rounds = 20;  // of each group
constexpr std::size_t max_pauses = 1024;
constexpr std::size_t pauses_between_looks = 16;
constexpr std::size_t collectives_of_step = 64;  // at most, for telling steps apart
constexpr std::size_t max_members = std::size_t{1} << 16;

double seconds(nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

// One candidate's delays in a window.
struct Tally {
  std::size_t rounds = 0;
  std::size_t last = 0;
  double mean = 0;          // delay for each round, less what the others cost on average
  double significance = 0;  // the mean in units of its standard error
  double delay = 0;         // when it is last

  [[nodiscard]] double last_share() const {
    return rounds == 0 ? 0 : static_cast<double>(last) / static_cast<double>(rounds);
  }
};

// `own`: whether the candidate is last in that round. `others`: how many other candidates there are.
Tally tally(const std::vector<double>& delays, const std::vector<bool>& own, std::size_t others) {
  std::vector<double> own_delays;
  for (std::size_t i = 0; i < delays.size(); ++i) {
    if (own[i]) own_delays.push_back(delays[i]);
  }
  Tally found{.rounds = delays.size(), .last = own_delays.size()};
  if (own_delays.empty() || others == 0) return found;
  const auto middle = own_delays.begin() + static_cast<std::ptrdiff_t>(own_delays.size() / 2);
  std::nth_element(own_delays.begin(), middle, own_delays.end());
  const auto usual = 3 * *middle;
  double sum = 0;
  double squares = 0;
  double own_sum = 0;
  for (std::size_t i = 0; i < delays.size(); ++i) {
    const auto delay = std::min(delays[i], usual);
    const auto net = own[i] ? delay : -delay / static_cast<double>(others);
    sum += net;
    squares += net * net;
    if (own[i]) own_sum += delay;
  }
  const auto count = static_cast<double>(delays.size());
  found.mean = sum / count;
  const auto variance = std::max(squares / count - found.mean * found.mean, 0.0);
  found.significance = found.mean / (std::sqrt(variance / count) + 1e-9);
  found.delay = own_sum / static_cast<double>(found.last);
  return found;
}

// What chance makes rare enough for days of a healthy run. Two candidates differ by luck most easily.
bool is_significant(const Tally& found, std::size_t candidates) {
  const auto size = static_cast<double>(candidates);
  const double often = 0.3 + 0.8 / size;
  const double deviation = candidates == 2 ? 5.5 : candidates == 3 ? 4.75 : 4.25;
  return found.last_share() >= often && found.significance >= deviation;
}

}  // namespace

std::vector<std::uint32_t> members_of(const std::string& ranks) {
  std::vector<std::uint32_t> members;
  if (ranks.empty()) return members;
  for (const auto part : text::split(ranks, ',')) {
    const auto dash = std::min(part.find('-'), part.size());
    const auto first = text::number<std::uint32_t>(part.substr(0, dash));
    const auto last =
        dash == part.size() ? first : text::number<std::uint32_t>(part.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first >= max_members - members.size())
      return {};
    for (std::uint64_t rank = *first; rank <= *last; ++rank)
      members.push_back(static_cast<std::uint32_t>(rank));
  }
  return members;
}

void Judge::add(const std::vector<GroupMeetings>& all) {
  for (const auto& each : all) {
    auto& of = groups_[each.group.name + '/' + each.group.ranks];
    if (of.group.ranks != each.group.ranks || of.members.empty())
      of.members = members_of(each.group.ranks);
    of.group = each.group;
    for (const auto& meeting : each.meetings) take(of, meeting);
  }
}

void Judge::take(OfGroup& of, const Meeting& meeting) {
  if (!begin_) begin_ = meeting.last;
  if (of.latest && meeting.number > of.latest->number + 1) {  // some in between are not known
    of.open.reset();
    of.round_end.reset();
  }
  if (of.latest && of.open) {
    const auto pause = meeting.first - of.latest->last;
    add_pause(of, pause);
    if (pause > Time(0) && pause >= of.usual_pause / 2) end_round(of);
  }
  of.nodes = meeting.nodes;
  if (!of.open) of.open = Round{.operation = meeting.operation};
  join(*of.open, meeting);
  of.latest = meeting;
}

// Rare pauses, such as those for an evaluation, are not usual ones.
void Judge::add_pause(OfGroup& of, Time pause) {
  of.pauses.push_back(pause);
  if (of.pauses.size() > max_pauses) of.pauses.pop_front();
  if (of.pauses_until_look > 0) {
    --of.pauses_until_look;
    return;
  }
  of.pauses_until_look = pauses_between_looks;
  std::vector<Time> sorted(of.pauses.begin(), of.pauses.end());
  const auto rare =
      sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / collectives_of_step);
  std::nth_element(sorted.begin(), rare, sorted.end(), std::greater());
  of.usual_pause = *rare;
}

void Judge::join(Round& round, const Meeting& meeting) {
  const auto beyond = [&meeting](Time earlier) {
    return std::max(meeting.last - earlier - meeting.error, Time(0));
  };
  const auto delay = beyond(meeting.before);
  if (round.end == Time(0) || delay > round.delay) {
    round.delay = delay;
    round.rank = meeting.rank;
    round.rank_node = meeting.node;
    round.operation = meeting.operation;
  }
  if (meeting.other_node && beyond(*meeting.other_node) >= round.node_delay.value_or(Time(0))) {
    round.node_delay = beyond(*meeting.other_node);
    round.node = meeting.node;
  }
  round.end = std::max(round.end, meeting.last);
}

void Judge::end_round(OfGroup& of) {
  auto round = *std::exchange(of.open, std::nullopt);
  const auto begin = std::exchange(of.round_end, round.end);
  if (!begin || round.end <= *begin) return;
  if (of.skipped < warm_up_rounds || round.end < *begin_ + limits_.warm_up) {
    ++of.skipped;
    return;
  }
  round.period = round.end - *begin;
  of.rounds.push_back(std::move(round));
  const auto is_old = [&of](const Round& each) { return of.rounds.back().end - each.end > window; };
  while (of.rounds.size() > max_rounds ||
         (of.rounds.size() > rounds_of_window && is_old(of.rounds.front()))) {
    of.rounds.pop_front();
  }
}

bool Judge::is_pipeline(const OfGroup& of) const {
  if (of.group.pairs) return true;
  for (const auto& [key, other] : groups_) {
    if (!other.group.pairs) continue;
    if (of.members.empty() || other.members.empty()) return true;  // not known
    std::size_t shared = 0;
    for (const auto member : of.members) {
      if (std::ranges::binary_search(other.members, member)) ++shared;
    }
    if (shared > 1) return true;
  }
  return false;
}

namespace {

template <class Rounds>
double time_of(const Rounds& rounds) {
  double time = 0;
  for (const auto& round : rounds) time += seconds(round.period);
  return time;
}

// Who is last most often.
template <class Rounds, class Who>
auto most_often(const Rounds& rounds, const Who& who) {
  std::map<std::decay_t<decltype(who(rounds.front()))>, std::size_t> counts;
  for (const auto& round : rounds) ++counts[who(round)];
  return std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; })->first;
}

}  // namespace

std::optional<Suspect> Judge::judge_rank(const OfGroup& of, double percent) const {
  const auto rank = most_often(of.rounds, [](const Round& round) { return round.rank; });
  std::vector<double> delays;
  std::vector<bool> own;
  Suspect suspect{.rank = rank, .group = of.group.text, .within_node = of.nodes == 1};
  for (const auto& round : of.rounds) {
    delays.push_back(seconds(round.delay));
    own.push_back(round.rank == rank);
    if (round.rank == rank) suspect.node = round.rank_node;
  }
  const auto found = tally(delays, own, of.group.size - 1);
  const auto time = time_of(of.rounds);
  suspect.time_share = found.mean * static_cast<double>(found.rounds) / time;
  if (!is_significant(found, of.group.size) || 100 * suspect.time_share < percent)
    return std::nullopt;
  suspect.operation = most_often(of.rounds, [](const Round& round) { return round.operation; });
  suspect.last_share = found.last_share();
  suspect.delay = nanoseconds(std::llround(found.delay * 1e9));
  suspect.period = nanoseconds(std::llround(time * 1e9 / static_cast<double>(found.rounds)));
  return suspect;
}

std::optional<Suspect> Judge::judge_node(const OfGroup& of, double percent) const {
  if (of.nodes < 2) return std::nullopt;
  const auto node = most_often(of.rounds, [](const Round& round) { return round.node; });
  std::vector<double> delays;
  std::vector<bool> own;
  for (const auto& round : of.rounds) {
    delays.push_back(seconds(round.node_delay.value_or(Time(0))));
    own.push_back(round.node == node);
  }
  const auto found = tally(delays, own, of.nodes - 1);
  const auto time = time_of(of.rounds);
  Suspect suspect{.node = node, .group = of.group.text};
  suspect.time_share = found.mean * static_cast<double>(found.rounds) / time;
  if (!is_significant(found, of.nodes) || 100 * suspect.time_share < percent) return std::nullopt;
  suspect.operation = most_often(of.rounds, [](const Round& round) { return round.operation; });
  suspect.last_share = found.last_share();
  suspect.delay = nanoseconds(std::llround(found.delay * 1e9));
  suspect.period = nanoseconds(std::llround(time * 1e9 / static_cast<double>(found.rounds)));
  return suspect;
}

// A rank is named rather than its node if most of what the node costs is its doing.
std::vector<Suspect> Judge::suspects(double percent) const {
  constexpr double most = 0.6;
  std::vector<Suspect> found;
  for (const auto& [key, of] : groups_) {
    if (of.group.size < 2 || of.rounds.size() < least_rounds || is_pipeline(of)) continue;
    if (of.rounds.back().end - of.rounds.front().end < least_time) continue;
    const auto rank = judge_rank(of, percent);
    const auto node = judge_node(of, percent);
    const bool alone =
        rank && (!node || node->node != rank->node || rank->time_share >= most * node->time_share);
    if (alone) found.push_back(*rank);
    if (!alone && node) found.push_back(*node);
  }
  return found;
}

std::vector<Suspect> Judge::look() const {
  std::map<std::size_t, std::vector<Suspect>> by_node;
  for (auto& suspect : suspects(limits_.percent))
    by_node[suspect.node].push_back(std::move(suspect));
  std::vector<Suspect> all;
  for (auto& [node, found] : by_node) {
    // A group on one node tells its ranks apart. Several groups that blame a rank each blame their node.
    const auto order = [](const Suspect& suspect) {
      return std::pair(suspect.within_node, suspect.time_share);
    };
    auto chosen = *std::ranges::max_element(found, {}, order);
    const auto differs = [&chosen](const Suspect& other) { return other.rank != chosen.rank; };
    if (!chosen.within_node && std::ranges::any_of(found, differs)) chosen.rank.reset();
    all.push_back(std::move(chosen));
  }
  std::ranges::sort(all, std::greater(), &Suspect::time_share);
  return all;
}

std::optional<bool> Judge::still(std::size_t node, std::optional<std::uint32_t> rank) const {
  bool seen = false;
  for (const auto& [key, of] : groups_) {
    seen = seen || of.rounds.size() >= least_rounds;
  }
  if (!seen) return std::nullopt;
  return std::ranges::any_of(suspects(limits_.percent / 2), [&](const Suspect& suspect) {
    return suspect.node == node && (!rank || !suspect.rank || suspect.rank == rank);
  });
}

}  // namespace muster::slow
