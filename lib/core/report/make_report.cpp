#include "core/report/exit_status.hpp"
#include "core/report/hints.hpp"
#include "core/report/moments.hpp"
#include "core/report/report.hpp"
#include "core/report/summary.hpp"
#include "core/report/verdict.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::report {
namespace {

bool is_of_a_rank(const Verdict& verdict) {
  return verdict.cause == Cause::program || verdict.cause == Cause::signal ||
         verdict.cause == Cause::out_of_memory;
}

// When the attempt was stopped from outside: as far as is known, before the first process ended.
Moment time_of_stop(const Record& record, const Verdict& verdict) {
  if (verdict.user_signal) return verdict.user_signal->time;
  Moment stop = record.over;
  for (const auto& end : record.ends) {
    if (exit_code(end.wait_status) != 0 && end.time.time < stop.time) stop = end.time;
  }
  return stop;
}

// If a rank raised an exception long before the attempt was cancelled, that is why it hung.
bool was_long_before(const FailedRank& first, const Moment& stop) {
  return !first.lost_peer && between(first.time, stop) > teardown_time;
}

Failures relevant_failures(const Record& record, const Verdict& verdict, Failures found) {
  if (is_of_a_rank(verdict) || !found.first) return found;
  const bool stays =
      verdict.cause != Cause::node && was_long_before(*found.first, time_of_stop(record, verdict));
  return stays ? found : only_victims(record);
}

// A lost node and a hang have no exit code, and srun's code only says how the ranks were stopped. So the code
// is 1, as with torchrun; otherwise a program that exits with 0 after SIGTERM would turn a hang into a
// success.
int exit_code_of(const Record& record, const Report& report, const Policy& policy) {
  if (policy.of_any_failure && report.result != Result::ok) return *policy.of_any_failure;
  if (report.cause == Cause::hang) {
    return policy.exit_of_srun ? std::max(report.srun_code, 1) : 1;
  }
  if (policy.exit_of_srun || report.result != Result::failed) return report.srun_code;
  if (report.cause == Cause::node) return 1;
  if (report.first) return failure_code(*report.first);
  return std::max(shell_code(record.srun_wait_status), 1);
}

std::optional<Moment> earliest(std::optional<Moment> left, const std::optional<Moment>& right) {
  if (!left || (right && right->time < left->time)) return right;
  return left;
}

std::optional<Moment> last_start(const Record& record) {
  std::optional<Moment> last;
  for (const auto& node : record.nodes) {
    if (!node.started) return std::nullopt;
    if (!last || last->time < node.started->time) last = node.started;
  }
  return last;
}

// When the last node's ranks had it; no value if one of the nodes has not told.
std::optional<Moment> process_group(const Record& record) {
  std::optional<Moment> last;
  for (const auto& node : record.nodes) {
    if (!node.group) return std::nullopt;
    if (!last || last->time < node.group->time) last = node.group;
  }
  return last;
}

bool is_earlier(const Moment& left, const Moment& right) {
  return left.time < right.time;
}

// The total over what the agents reported, if all of them did.
void add_rendezvous(Times& times, const Record& record) {
  std::vector<AgentTimes> agents;
  for (const auto& node : record.nodes) {
    if (!node.agent) return;
    agents.push_back(*node.agent);
  }
  if (agents.empty()) return;
  times.first_agent = std::ranges::min(agents, is_earlier, &AgentTimes::begun).begun;
  times.rendezvous_begin = std::ranges::min(agents, is_earlier, &AgentTimes::came).came;
  times.rendezvous_end = std::ranges::max(agents, is_earlier, &AgentTimes::met).met;
}

Times times_of(const Record& record, const Report& report) {
  Times times{record.launched, {}, last_start(record), {}, record.ending, {}, record.over};
  times.asleep = record.asleep;
  times.process_group = process_group(record);
  add_rendezvous(times, record);
  for (const auto& node : record.nodes)
    times.first_start = earliest(times.first_start, node.started);
  for (const auto& end : record.ends) {
    if (!times.last_end || times.last_end->time < end.time.time) times.last_end = end.time;
  }
  if (report.first) times.failure = report.first->time;
  if (report.hang) times.failure = report.hang->since;
  if (report.cause != Cause::node) return times;
  for (const auto& node : report.lost_nodes) {
    times.failure = earliest(times.failure, node.last_word);
  }
  return times;
}

AttemptSummary attempt_of(const Record& record, const Report& report) {
  AttemptSummary attempt;
  attempt.number = record.attempt;
  attempt.step = record.step;
  for (const auto& node : record.nodes) attempt.nodes.push_back(node.name);
  attempt.ranks = record.ranks;
  attempt.result = report.result;
  attempt.duration = between(record.launched, record.over);
  attempt.cause = report.cause;
  attempt.reason = failure_text(report);
  if (report.first) attempt.first_rank = report.first->end.place.rank;
  if (report.first) attempt.first_node = report.first->node;
  for (const auto& node : report.lost_nodes) attempt.lost_nodes.push_back(node.node);
  attempt.times = report.times;
  attempt.hung = report.hang.has_value();
  attempt.held_up = slow::held_up(record.slow);
  for (const auto& node : record.nodes) attempt.gpus += node.gpus;
  return attempt;
}

Report as_recorded(const Record& record) {
  Report report;
  report.srun_code = shell_code(record.srun_wait_status);
  report.group = record.group;
  report.program = record.program;
  report.command = record.command;
  report.nodes = record.nodes;
  report.signals = record.signals;
  report.slurm = record.slurm;
  report.without_slurm = record.without_slurm;
  report.wall_start = record.wall_start;
  for (const auto& node : record.nodes) {
    if (!is_lost(node)) continue;
    report.lost_nodes.push_back({node.name, node.state, node.tasks, node.last_word});
  }
  return report;
}

}  // namespace

// If muster stopped a rank that was about to exit with an exception, its code is 1, as Python's would have
// been.
std::int32_t failure_code(const FailedRank& rank) {
  return rank.end.ended_by_muster ? 1 : std::max(shell_code(rank.end.wait_status), 1);
}

Report make_report(const Record& record, const Policy& policy) {
  Failures found = find_failures(record);
  const Verdict verdict = find_verdict(record, found.first);
  Failures failures = relevant_failures(record, verdict, std::move(found));
  Report report = as_recorded(record);
  report.result = verdict.result;
  report.cause = verdict.cause;
  report.first = std::move(failures.first);
  report.certain = failures.certain;
  report.suspects = std::move(failures.suspects);
  report.others = std::move(failures.others);
  report.victims = std::move(failures.victims);
  report.left_early = std::move(failures.left_early);
  report.user_signal = verdict.user_signal;
  if (verdict.cause == Cause::hang) report.hang = record.hang;
  if (verdict.cause != Cause::hang && verdict.result != Result::ok) report.hang = record.standstill;
  report.slow = record.slow;
  report.signalled_at_once = verdict.signalled_at_once;
  for (const auto& end : record.ends) {
    if (!report.unhandled_signal) report.unhandled_signal = unhandled_signal(end);
  }
  report.exit_code = exit_code_of(record, report, policy);
  report.times = times_of(record, report);
  report.attempts = {attempt_of(record, report)};
  return report;
}

Report with_earlier(std::vector<AttemptSummary> earlier, Report report) {
  std::ranges::move(report.attempts, std::back_inserter(earlier));
  report.attempts = std::move(earlier);
  return report;
}

}  // namespace muster::report
