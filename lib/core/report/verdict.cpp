#include "core/report/verdict.hpp"

#include "core/report/exit_status.hpp"
#include "core/report/moments.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <set>

namespace muster::report {
namespace {

struct StateMeaning {
  std::string_view state;
  Result result;
  Cause cause;
};

// The states of a job that say what ended its steps. Among the other states, FAILED only repeats the
// program's exit code, and RUNNING is the state of a batch job whose script continues.
constexpr std::array meanings{
    StateMeaning{"TIMEOUT", Result::timeout, Cause::time_limit},
    StateMeaning{"DEADLINE", Result::timeout, Cause::time_limit},
    StateMeaning{"PREEMPTED", Result::preempted, Cause::preemption},
    StateMeaning{"CANCELLED", Result::cancelled, Cause::user},
    StateMeaning{"PENDING", Result::cancelled, Cause::slurm},
    StateMeaning{"REQUEUED", Result::cancelled, Cause::slurm},
    StateMeaning{"REQUEUE_HOLD", Result::cancelled, Cause::slurm},
    StateMeaning{"REQUEUE_FED", Result::cancelled, Cause::slurm},
    StateMeaning{"SPECIAL_EXIT", Result::cancelled, Cause::slurm},
    StateMeaning{"REVOKED", Result::cancelled, Cause::slurm},
    StateMeaning{"BOOT_FAIL", Result::failed, Cause::launch},
    StateMeaning{"LAUNCH_FAILED", Result::failed, Cause::launch},
};

// "CANCELLED by 1000" is CANCELLED.
std::string_view state_of(const SlurmJobState& slurm) {
  const std::string_view text = slurm.job_state;
  return text.substr(0, text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_"));
}

const StateMeaning* slurms_meaning(const SlurmJobState& slurm) {
  const auto* const found = std::ranges::find(meanings, state_of(slurm), &StateMeaning::state);
  return found == meanings.end() ? nullptr : found;
}

// A job that ends by itself has a reason only if it failed. Slurm's other ways to end a job have states of
// their own.
bool being_ended(const SlurmJobState& slurm) {
  return state_of(slurm) == "COMPLETING" && slurm.reason.empty();
}

// A program that was asked to stop has this long, as with Slurm's usual KillWait. What it does later is its
// own doing.
constexpr std::chrono::seconds end_timeout{30};

bool asks_to_end(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

bool is_answer_to(int signal, const FailedRank& rank) {
  if (end_signal(rank.end.wait_status) == signal) return true;
  if (shell_code(rank.end.wait_status) == 128 + signal) return true;
  return signal == SIGINT && rank.end.exception &&
         rank.end.exception->message.starts_with("KeyboardInterrupt");
}

bool ended_by(const SignalSent& signal, const FailedRank& rank) {
  if (surely_before(rank.time, signal.time)) return false;
  if (is_answer_to(signal.number, rank)) return true;
  return asks_to_end(signal.number) && between(signal.time, rank.time) <= end_timeout;
}

std::optional<SignalSent> users_signal(const Record& record,
                                       const std::optional<FailedRank>& first) {
  const auto ends = [&first](const SignalSent& signal) {
    return first ? ended_by(signal, *first) : asks_to_end(signal.number);
  };
  const auto found = std::ranges::find_if(record.signals, ends);
  return found == record.signals.end() ? std::nullopt : std::optional(*found);
}

// The user's own Ctrl-C, on which srun cancels the job that it created: either this process was sent SIGINT,
// or the terminal sent it to srun, which passed it on to the ranks.
std::optional<SignalSent> interruption(const Record& record) {
  const auto sent = std::ranges::find(record.signals, SIGINT, &SignalSent::number);
  if (sent != record.signals.end()) return *sent;
  for (const RankEnd& end : record.ends) {
    if (sent_signal(end.wait_status) == SIGINT) return SignalSent{SIGINT, end.time};
  }
  return std::nullopt;
}

bool may_be_from_outside(const RankEnd& end) {
  return sent_signal(end.wait_status) && !end.out_of_memory && !end.exception;
}

// Counts only nodes whose agents connected.
std::size_t watched_ranks(const Record& record) {
  std::size_t watched = 0;
  bool all = true;
  for (const NodeRecord& node : record.nodes) {
    all = all && node.state != NodeState::silent;
    watched += node.tasks;
  }
  return all ? record.ranks : watched;
}

// Only Slurm reaches the ranks on several nodes at the same instant, for example by scancel of the step. Some
// ranks may have been stopped by muster, which stops the others soon after the first.
bool all_signalled_at_once(const Record& record) {
  constexpr std::chrono::seconds instant{1};
  std::set<std::uint32_t> nodes;
  std::optional<Moment> first;
  std::size_t unsent = 0;
  for (std::size_t i = 0; i < record.ends.size(); ++i) {
    const RankEnd& end = record.ends[i];
    if (!may_be_from_outside(end)) return false;
    if (end.ended_by_muster) continue;
    if (!first) first = end.time;
    if (between(*first, end.time) > instant || between(end.time, *first) > instant) return false;
    ++unsent;
    if (i < record.node_of.size()) nodes.insert(record.node_of[i]);
  }
  const auto most = [](std::size_t some, std::size_t all) {
    return some >= std::min<std::size_t>(all, 2) && some * 2 >= all;
  };
  return unsent >= 2 && record.ends.size() >= watched_ranks(record) && most(unsent, record.ranks) &&
         most(nodes.size(), record.nodes.size());
}

// Slurm counts from the step's creation, in whole minutes, and checks twice a minute. It then sends SIGTERM
// to every rank, and does not mention this afterwards. Its clock has a resolution of one second, so the
// signal may come a little early.
bool past_time_limit(const Record& record, const Moment& end) {
  constexpr std::chrono::seconds early{2};
  return record.created && record.time_limit &&
         between(*record.created, end) + early >= *record.time_limit;
}

// Whether it raised an exception; the stack of a fatal signal says where, but not why.
bool has_raised(const RankEnd& end) {
  return end.exception && !end.exception->of_signal;
}

// Failed by itself, and not with an exit code or an abort, with which libraries react to the loss of a peer.
bool is_explicit(const FailedRank& rank) {
  if (rank.lost_peer) return false;
  if (has_raised(rank.end) || rank.end.out_of_memory) return true;
  const auto signal = end_signal(rank.end.wait_status);
  return signal && *signal != SIGABRT && *signal != SIGTERM && *signal != SIGPIPE;
}

bool ended_at_time_limit(const Record& record, const std::optional<FailedRank>& first,
                         bool at_once) {
  if (!past_time_limit(record, first ? first->time : record.over)) return false;
  return !first || at_once || !is_explicit(*first);
}

// A node is last heard from up to one heartbeat interval before it is lost.
bool is_before_loss(const FailedRank& rank, const NodeRecord& node) {
  // Its ranks may still be running.
  if (node.state == NodeState::agent_gone) return !rank.lost_peer;
  if (!node.last_word) return is_explicit(rank);
  if (surely_before(rank.time, *node.last_word) && !rank.lost_peer) return true;
  return is_explicit(rank) && between(*node.last_word, rank.time) <= teardown_time;
}

// slurmstepd on that node was gone before the rank's end in question, so it is unknown how the node's ranks
// ended.
bool lost_slurmstepd_before(const Record& record, const std::optional<FailedRank>& first) {
  return std::ranges::any_of(record.ends, [&first](const RankEnd& end) {
    return end.wait_status == unknown_status && (!first || !surely_before(first->time, end.time));
  });
}

// A node that fenced its ranks without having been told to.
bool fenced_itself(const Record& record, const NodeRecord& node) {
  return !node.remark.empty() && !record.ending;
}

bool node_was_first(const Record& record, const std::optional<FailedRank>& first) {
  bool lost = state_of(record.slurm) == "NODE_FAIL" && !(first && is_explicit(*first));
  lost = lost || lost_slurmstepd_before(record, first);
  for (const NodeRecord& node : record.nodes) {
    if (is_lost(node)) lost = lost || !first || !is_before_loss(*first, node);
    if (fenced_itself(record, node)) lost = lost || !first;
  }
  return lost;
}

// An agent that has lost the supervisor, or that has to fence its ranks, also cancels the step, and so does
// Slurm with OOMKillStep.
bool was_cancelled(const Record& record) {
  const auto is_well = [](const NodeRecord& node) {
    return node.remark.empty() &&
           (node.state == NodeState::watched || node.state == NodeState::done);
  };
  const auto lacked_memory = [](const RankEnd& end) {
    return end.out_of_memory || end_signal(end.wait_status) == slurms_memory_signal;
  };
  return record.step_cancelled && std::ranges::all_of(record.nodes, is_well) &&
         std::ranges::none_of(record.ends, lacked_memory);
}

bool nothing_started(const Record& record) {
  return record.ends.empty() && std::ranges::none_of(record.nodes, [](const NodeRecord& node) {
           return node.started.has_value();
         });
}

// For a step without any known failure of a rank.
Cause cause_of_srun(const Record& record) {
  const auto silent = [](const NodeRecord& node) { return node.state == NodeState::silent; };
  const bool unwatched = !record.nodes.empty() && std::ranges::all_of(record.nodes, silent);
  if (nothing_started(record) && !unwatched) return Cause::launch;
  if (record.ends.size() >= record.ranks && !unwatched) return Cause::slurm;
  return signal_behind(shell_code(record.srun_wait_status)) ? Cause::signal : Cause::program;
}

}  // namespace

bool is_lost(const NodeRecord& node) {
  return node.state == NodeState::lost || node.state == NodeState::agent_gone;
}

Cause cause_of(const FailedRank& rank, const SlurmJobState& slurm) {
  const int code = shell_code(rank.end.wait_status);
  const bool killed = code == 128 + SIGKILL;
  const bool slurm_says_memory = state_of(slurm) == "OUT_OF_MEMORY";
  if (rank.end.out_of_memory || end_signal(rank.end.wait_status) == slurms_memory_signal ||
      (killed && slurm_says_memory)) {
    return Cause::out_of_memory;
  }
  if (has_raised(rank.end)) return Cause::program;
  if (end_signal(rank.end.wait_status) || signal_behind(code)) return Cause::signal;
  return Cause::program;
}

Verdict find_verdict(const Record& record, const std::optional<FailedRank>& first) {
  if (const auto* const meaning = slurms_meaning(record.slurm)) {
    const bool may_be_users = meaning->cause == Cause::user;
    return {meaning->result, meaning->cause, may_be_users ? interruption(record) : std::nullopt,
            false};
  }
  const bool ended_well = !first && shell_code(record.srun_wait_status) == 0;
  if (ended_well && !record.hang) return {};
  if (const auto signal = users_signal(record, first)) {
    return {Result::cancelled, Cause::user, signal, false};
  }
  if (record.hang) return {Result::failed, Cause::hang, {}, false};
  const bool at_once = all_signalled_at_once(record);
  if (ended_at_time_limit(record, first, at_once)) {
    return {Result::timeout, Cause::time_limit, {}, false};
  }
  if (at_once) {
    return {Result::cancelled, being_ended(record.slurm) ? Cause::user : Cause::slurm, {}, true};
  }
  if (node_was_first(record, first)) return {Result::failed, Cause::node, {}, false};
  if (was_cancelled(record)) return {Result::cancelled, Cause::user, {}, false};
  if (first) return {Result::failed, cause_of(*first, record.slurm), {}, false};
  return {Result::failed, cause_of_srun(record), {}, false};
}

}  // namespace muster::report
