#include "core/restart/requeue.hpp"

#include "core/contains.hpp"
#include "core/report/exit_status.hpp"
#include "core/report/report.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

#include <fmt/format.h>

namespace muster::restart {
namespace {

using report::Result;

bool is_ending_by_itself(std::string_view state) {
  constexpr std::array states{std::string_view("COMPLETING"), std::string_view("PREEMPTED"),
                              std::string_view("TIMEOUT")};
  return contains(states, state);
}

// Why the job can no longer continue in this allocation; empty if it can, or should not. A program that was
// asked to stop may exit with any code, even 0.
std::string_view need(const AllocationEnd& end, const report::Report& last, const slurm::Job& job) {
  const bool runs = job.state == "RUNNING";
  if (!runs && !is_ending_by_itself(job.state)) return {};
  if (job.preempted) return "preemption";
  if (!runs) return job.timed_out || last.result == Result::timeout ? "the time limit" : "";
  if (end.stopped) return "the time limit is near";
  if (end.too_few_nodes) return "too few nodes are left";
  return end.signalled ? "a signal to the job" : "";
}

}  // namespace

bool was_signalled(const report::Record& record, const report::Report& last) {
  const auto warns = [](int signal) { return signal == SIGUSR1 || signal == SIGUSR2; };
  const auto ends_ranks = [](const report::SignalSent& sent) { return sent.number == SIGTERM; };
  if (std::ranges::any_of(last.signals, ends_ranks)) return true;
  if (last.user_signal && warns(last.user_signal->number)) return true;
  const auto is_warned = [&warns](const report::RankEnd& end) {
    return warns(report::sent_signal(end.wait_status).value_or(0));
  };
  return last.signalled_at_once && std::ranges::any_of(record.ends, is_warned);
}

// A rank that forbids a restart counts even if another failed at the same instant.
const report::FailedRank* rank_that_forbids(const std::vector<std::uint32_t>& norestart,
                                            const report::Report& last) {
  const auto forbids = [&norestart](const report::FailedRank& rank) {
    const auto code = static_cast<std::uint32_t>(failure_code(rank));
    return contains(norestart, code);
  };
  if (last.first && forbids(*last.first)) return &*last.first;
  const auto found = std::ranges::find_if(last.others, forbids);
  return found == last.others.end() ? nullptr : &*found;
}

RequeueDecision decide_requeue(const RequeueRules& rules, const AllocationEnd& end,
                               const report::Report& last, const slurm::Job& job) {
  if (rules.requeue == 0) return {};
  if (job.requeues > rules.requeues_before) return {false, true, "Slurm requeues the job"};
  const auto why = need(end, last, job);
  if (why.empty() || rank_that_forbids(rules.norestart, last) != nullptr) return {};
  if (rules.requeues_before < rules.requeue) return {true, false, std::string(why)};
  return {false, false, fmt::format("{}, but requeue={} is used up", why, rules.requeue)};
}

bool keeps_state(const RequeueDecision& decision, const report::Report& last,
                 const slurm::Job& job) {
  const bool may_return = decision.slurm_does || job.state != "RUNNING";
  const bool is_done = last.result == Result::ok && !decision.slurm_does;
  return may_return && !is_done && last.cause != report::Cause::user;
}

}  // namespace muster::restart
