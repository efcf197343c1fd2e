#include "core/report/summary.hpp"

#include "core/cost/text.hpp"
#include "core/report/effective_time.hpp"
#include "core/report/exit_status.hpp"
#include "core/report/moments.hpp"
#include "core/report/screen.hpp"
#include "core/report/suspects_text.hpp"
#include "core/text/amounts.hpp"

#include <csignal>

#include <fmt/format.h>

namespace muster::report {
namespace {

constexpr std::size_t max_name_in_summary = 64;
constexpr std::size_t max_message = 200;

std::string lost_node_text(const Report& report) {
  if (report.lost_nodes.empty()) {
    return report.slurm.job_state.empty() ? "a node was lost" : "Slurm lost a node (NODE_FAIL)";
  }
  const auto& nodes = report.lost_nodes;
  const bool agent_gone = nodes.front().state == NodeState::agent_gone;
  if (nodes.size() == 1) {
    return fmt::format("{} {}", fit(nodes.front().node, max_name_in_summary),
                       agent_gone ? "no longer has muster's agent" : "was lost: no heartbeat");
  }
  std::string names;
  for (const auto& node : nodes) {
    if (names.size() > max_name_in_summary) break;
    names += (names.empty() ? "" : ", ") + node.node;
  }
  return fmt::format("{} {}: {}", text::count(nodes.size(), "node"),
                     agent_gone ? "no longer have muster's agent" : "were lost",
                     fit(names, max_name_in_summary));
}

std::string fenced_text(const Report& report) {
  for (const auto& node : report.nodes) {
    if (node.remark.empty()) continue;
    return fmt::format("{}: {}", fit(node.name, max_name_in_summary),
                       fit(node.remark, max_message));
  }
  return lost_node_text(report);
}

std::string_view starter_of(const Report& report) {
  return report.without_slurm ? "the run" : "srun";
}

std::string slurms_text(const Report& report) {
  if (report.signalled_at_once) {
    return report.without_slurm
               ? "all ranks received a signal at the same time, and muster did not send it"
               : "all ranks received a signal at the same time, and muster did not send it: it "
                 "came from scancel or from Slurm";
  }
  const auto& state = report.slurm.job_state;
  if (state.empty()) {
    return fmt::format("{} exited with code {}, but no rank failed", starter_of(report),
                       report.srun_code);
  }
  if (state == "PENDING" || state.starts_with("REQUEUE")) return "Slurm requeued the job";
  return fmt::format("Slurm ended the job: {}", fit(state, max_name_in_summary));
}

std::string users_text(const Report& report) {
  if (const auto& signal = report.user_signal) {
    return fmt::format("this {} was sent {}{}", report.without_slurm ? "run" : "srun",
                       signal_name(signal->number), signal->number == SIGINT ? " (Ctrl-C)" : "");
  }
  const auto& state = report.slurm.job_state;
  return state.starts_with("CANCELLED") || state == "COMPLETING"
             ? "the job was cancelled"
             : "the step was cancelled (scancel)";
}

std::string first_line(const std::string& message) {
  const auto lines = lines_of(message);
  return lines.empty() ? std::string() : fit(lines.front(), max_message);
}

bool has_word_for_time(const SlurmJobState& slurm) {
  return slurm.job_state.starts_with("TIMEOUT") || slurm.job_state.starts_with("DEADLINE");
}

// If muster stopped a rank, only its exception says why it failed.
std::string why(const RankEnd& end) {
  const auto raised = first_line(exception_of(end));
  if (raised.empty()) return in_words(end.wait_status);
  if (end.exception || end.ended_by_muster) return raised;
  return fmt::format("{} ({})", in_words(end.wait_status), raised);
}

std::string ranks_text(const Report& report) {
  if (!report.first) {
    return fmt::format("{} exited with code {}; no node reported which rank failed",
                       starter_of(report), report.srun_code);
  }
  if (!report.certain) return "the first failure is not certain: " + suspects_text(report);
  const auto& [end, node, time, lost_peer] = *report.first;
  return fmt::format("rank {}{} failed first: {}{}", end.place.rank,
                     node.empty() ? "" : " on " + fit(node, max_name_in_summary), why(end),
                     end.out_of_memory ? " (out of memory)" : "");
}

std::string hang_text(const Report& report) {
  const auto time = report.times.ending ? between(report.hang->since, *report.times.ending)
                                        : between(report.hang->since, report.times.over);
  return fmt::format("no rank made progress for {}{}{}", text::duration(time),
                     report.hang->found.empty() ? "" : ": ", fit(report.hang->found, max_message));
}

std::string cause_alone(const Report& report) {
  switch (*report.cause) {
    case Cause::hang:
      return hang_text(report);
    case Cause::node:
      return report.lost_nodes.empty() ? fenced_text(report) : lost_node_text(report);
    case Cause::slurm:
      return slurms_text(report);
    case Cause::user:
      return users_text(report);
    case Cause::time_limit:
      return has_word_for_time(report.slurm) ? "the job reached its time limit"
                                             : "the step reached its time limit (--time)";
    case Cause::preemption:
      return "Slurm preempted the job";
    case Cause::launch:
      return "no rank has started";
    default:
      return ranks_text(report);
  }
}

// A hang may be the reason why the user, or a time limit, ended the step.
std::string cause_text(const Report& report) {
  const auto hang = standstill_text(report);
  return hang.empty() ? cause_alone(report) : fmt::format("{}; {}", cause_alone(report), hang);
}

// If muster stopped a rank, only its exception says why it failed.
std::string rank_failure_text(const FailedRank& rank, bool certain) {
  const auto& end = rank.end;
  const auto message = first_line(exception_of(end));
  auto text = fmt::format("rank {}{}: ", end.place.rank,
                          rank.node.empty() ? "" : " on " + fit(rank.node, max_name_in_summary));
  if (end.ended_by_muster && !message.empty()) return text + message;
  text += in_words(end.wait_status);
  if (end.out_of_memory) text += ", out of memory";
  if (!certain) text += " (it exited first; the cause is not certain)";
  return message.empty() ? text : fmt::format("{} ({})", text, message);
}

std::string_view end_words(Result result) {
  switch (result) {
    case Result::ok:
      return "succeeded";
    case Result::cancelled:
      return "was cancelled";
    case Result::timeout:
      return "timed out";
    case Result::preempted:
      return "was preempted";
    default:
      return "failed";
  }
}

std::string success_text(const Report& report) {
  const AttemptSummary& attempt = report.attempts.back();
  auto text =
      fmt::format("{} on {} exited with code 0 after {}", text::count(attempt.ranks, "rank"),
                  text::count(attempt.nodes.size(), "node"), text::duration(attempt.duration));
  if (report.times.first_start) {
    text += fmt::format("; the first rank started after {}",
                        text::duration(between(report.times.launched, *report.times.first_start)));
  }
  if (report.attempts.size() == 1) return text;
  return fmt::format("attempt {}: {}; {}", attempt.number, text,
                     cost::to_text(effective_time(report)));
}

}  // namespace

std::string standstill_text(const Report& report) {
  return report.hang && report.cause != Cause::hang ? hang_text(report) : std::string();
}

std::string summary(const Report& report) {
  if (report.result == Result::ok || !report.cause) return success_text(report);
  return cause_text(report);
}

std::string attempt_summary(const AttemptSummary& attempt) {
  const auto& times = attempt.times;
  const auto after = times.failure ? between(times.launched, *times.failure) : attempt.duration;
  return fmt::format("attempt {} {} after {}{}{}", attempt.number, end_words(attempt.result),
                     text::duration(after), attempt.reason.empty() ? "" : ": ", attempt.reason);
}

std::string failure_text(const Report& report) {
  if (report.result == Result::ok || !report.cause) return {};
  const bool of_a_rank =
      report.result == Result::failed && report.cause != Cause::node && report.cause != Cause::hang;
  return of_a_rank && report.first ? rank_failure_text(*report.first, report.certain)
                                   : cause_text(report);
}

}  // namespace muster::report
