// muster stops the other ranks soon after the first failure, so often only one rank has ended by itself. In
// that case its own message has to be proof enough. From one node of several, it is not: that node may lack a
// file that the others have.
#include "core/report/moments.hpp"
#include "core/report/peer_loss.hpp"
#include "core/restart/decision.hpp"
#include "core/restart/start_error.hpp"

#include <algorithm>
#include <set>

namespace muster::restart {
namespace {

using report::RankEnd;

// Who had the start-up error of the rank that failed first.
struct Spread {
  std::set<std::uint32_t> nodes;
  std::size_t ranks = 0;       // that ended by themselves
  bool contradicted = false;   // a rank ended by itself in another way
  bool others_differ = false;  // another node had another start-up error
};

// What a rank said before muster stopped it counts as well. A rank that lost a peer has said nothing about
// the start.
void add(Spread& spread, std::uint32_t node, const RankEnd& end, const report::FailedRank& first,
         bool on_its_node) {
  const bool is_first = end.place.rank == first.end.place.rank;
  if (!is_first && end.ended_by_muster && !end.exception) return;
  if (is_first || same_error(first.end, end)) {
    spread.nodes.insert(node);
    if (is_first || !end.ended_by_muster) ++spread.ranks;
  } else if (!report::lost_peer(end)) {
    if (!end.ended_by_muster) spread.contradicted = true;
    if (!on_its_node && start_sign(end) == StartSign::alone) spread.others_differ = true;
  }
}

// No value if the first failure is not a start-up error.
std::optional<Spread> spread_of(const report::Record& record, const report::Report& report) {
  if (!report.first || report.cause != report::Cause::program) return std::nullopt;
  const auto begin = report.times.first_start.value_or(report.times.launched);
  if (report::between(begin, report.first->time) > program_start_time) return std::nullopt;
  const auto sign = start_sign(report.first->end);
  if (sign == StartSign::none) return std::nullopt;
  Spread spread;
  for (std::size_t i = 0; i < record.ends.size(); ++i) {
    const auto node = record.node_of[i];
    add(spread, node, record.ends[i], *report.first, record.nodes[node].name == report.first->node);
  }
  const bool enough = sign == StartSign::alone || spread.ranks > 1 || record.ranks == 1;
  return enough ? std::optional(spread) : std::nullopt;
}

// Counted from its first rank's start, or otherwise from the launch.
bool ran_for_longer(const AttemptHistory& attempt) {
  return attempt.first_start && attempt.failed >= *attempt.first_start + program_start_time;
}

bool had_same_error(const AttemptHistory& attempt, const RankEnd& end) {
  return attempt.start_error && attempt.start_error->what == start_error(end);
}

}  // namespace

bool cannot_start(const report::Record& record, const report::Report& report,
                  std::span<const AttemptHistory> earlier) {
  if (std::ranges::any_of(earlier, ran_for_longer)) return false;
  const auto spread = spread_of(record, report);
  if (!spread || spread->contradicted) return false;
  if (record.nodes.size() < 2 || spread->nodes.size() > 1) return true;
  return !earlier.empty() && had_same_error(earlier.back(), report.first->end);
}

std::optional<LoneStartError> lone_start_error(const report::Record& record,
                                               const report::Report& report) {
  if (record.nodes.size() < 2) return std::nullopt;
  const auto spread = spread_of(record, report);
  if (!spread || spread->nodes.size() > 1 || spread->others_differ) return std::nullopt;
  return LoneStartError{report.first->node, start_error(report.first->end)};
}

}  // namespace muster::restart
