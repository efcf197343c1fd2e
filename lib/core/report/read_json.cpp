#include "core/report/read_json.hpp"

#include "core/error.hpp"
#include "core/report/exit_status.hpp"
#include "core/report/moments.hpp"
#include "core/slow/json.hpp"
#include "core/text/json_fields.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace muster::report {
namespace {

using Parsed = nlohmann::json;
using std::chrono::nanoseconds;
using text::array_in;
using text::number_in;
using text::string_in;
using WallTime = std::chrono::system_clock::time_point;

constexpr std::size_t max_listed_ranks = std::size_t{1} << 20;  // in all lists together

constexpr std::size_t max_slow = 64;

constexpr std::array all_results{Result::ok, Result::failed, Result::cancelled, Result::timeout,
                                 Result::preempted};
constexpr std::array all_causes{
    Cause::program, Cause::signal,     Cause::out_of_memory, Cause::node,   Cause::slurm,
    Cause::user,    Cause::time_limit, Cause::preemption,    Cause::launch, Cause::hang};
constexpr std::array all_node_states{NodeState::silent, NodeState::watched, NodeState::done,
                                     NodeState::agent_gone, NodeState::lost};
constexpr std::array victim_kinds{VictimKind::ended_by_muster, VictimKind::lost_peer,
                                  VictimKind::same_failure, VictimKind::killed,
                                  VictimKind::later_failure};

template <class Value, std::size_t Count>
std::optional<Value> named(const std::string& name, const std::array<Value, Count>& all) {
  const auto found = std::ranges::find_if(all, [&](Value each) { return to_string(each) == name; });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

// Limited to what nanoseconds can hold.
nanoseconds duration_of(double seconds) {
  constexpr double limit = 9e9;
  const double bounded = std::isfinite(seconds) ? std::clamp(seconds, -limit, limit) : 0;
  return std::chrono::milliseconds(std::llround(bounded * 1000));
}

nanoseconds error_of(double seconds) {
  constexpr double limit = 9e9;
  const double bounded = std::isfinite(seconds) ? std::clamp(seconds, 0.0, limit) : 0;
  return nanoseconds(std::llround(bounded * 1e9));
}

// No value for anything but a number.
std::optional<nanoseconds> perhaps_duration(const Parsed& json, const char* name) {
  return text::field(json, name).is_number()
             ? std::optional(duration_of(text::decimal_in(json, name)))
             : std::nullopt;
}

// Other parts of a report may have any numbers, so a sum of them must not overflow.
cost::Time part_in(const Parsed& json, const char* name) {
  const auto time = duration_of(text::decimal_in(json, name));
  return std::clamp(time, cost::Time(0), cost::Time(std::chrono::hours(24 * 3650)));
}

cost::GpuSeconds lost_gpus_of(const Parsed& json) {
  constexpr double max_gpu_seconds = 1e15;
  cost::GpuSeconds lost;
  for (const auto& part : cost::lost_parts({.has_progress = true, .has_startup = true})) {
    const auto name = std::string(part.cause);
    if (!text::field(json, name.c_str()).is_number()) continue;
    const auto seconds = text::decimal_in(json, name.c_str());
    if (std::isfinite(seconds)) lost[part.cause] = std::clamp(seconds, 0.0, max_gpu_seconds);
  }
  return lost;
}

cost::Account account_of(const Parsed& json) {
  cost::Account account{.all_ran = part_in(json, "all_ran_seconds"),
                        .start = part_in(json, "start_seconds"),
                        .detection = part_in(json, "detection_seconds"),
                        .stop = part_in(json, "stop_seconds"),
                        .pauses = part_in(json, "pauses_seconds"),
                        .startup = part_in(json, "startup_seconds"),
                        .lost_work = part_in(json, "lost_work_seconds"),
                        .hang = part_in(json, "hang_seconds"),
                        .queue = part_in(json, "queue_seconds"),
                        .has_progress = text::field(json, "lost_work_seconds").is_number(),
                        .has_startup = text::field(json, "startup_seconds").is_number(),
                        .held_up = part_in(json, "held_up_seconds"),
                        .lost_gpus = lost_gpus_of(text::field(json, "lost_gpu_seconds"))};
  account.wall = account.all_ran + account.start + account.detection + account.stop +
                 account.pauses + account.hang + account.queue;
  account.startup = std::min(account.startup, account.all_ran);
  account.lost_work = std::min(account.lost_work, account.all_ran - account.startup);
  const auto effective = cost::effective(account);
  account.held_up = std::min(account.held_up, effective);
  account.last_effective =
      effective - std::min(part_in(json, "lost_work_limit_seconds"), effective);
  return account;
}

// "0-3,7"; stops at the first part that is not a range, or that exceeds the limit.
std::vector<std::uint32_t> ranks_of(const std::string& list, std::size_t& room) {
  std::vector<std::uint32_t> ranks;
  if (list.empty()) return ranks;
  for (const auto part : text::split(list, ',')) {
    const auto dash = std::min(part.find('-'), part.size());
    const auto first = text::number<std::uint32_t>(part.substr(0, dash));
    const auto last =
        dash == part.size() ? first : text::number<std::uint32_t>(part.substr(dash + 1));
    if (!first || !last || *last < *first) break;
    if (*last - *first >= room) break;
    room -= *last - *first + 1;
    for (std::uint64_t rank = *first; rank <= *last; ++rank) {
      ranks.push_back(static_cast<std::uint32_t>(rank));
    }
  }
  return ranks;
}

std::optional<int> number_of_signal(const std::string& name) {
  for (int number = 1; number < 128; ++number) {
    if (signal_name(number) == name) return number;
  }
  return std::nullopt;
}

std::int32_t wait_status_of(const Parsed& json) {
  constexpr std::int32_t core_file = 0x80;
  const auto signal = number_of_signal(string_in(json, "signal"));
  if (signal) return *signal | (text::bool_in(json, "core_dumped") ? core_file : 0);
  const auto code = number_in(json, "code");
  return code && *code < 256 ? static_cast<std::int32_t>(*code << 8U) : unknown_status;
}

// The time of the first launch, from which all moments are counted.
WallTime start_of(const Parsed& json) {
  const auto& attempts = array_in(json, "attempts");
  const auto& times =
      attempts.empty() ? text::field(json, "times") : text::field(attempts.front(), "times");
  return wall_time(string_in(times, "launch")).value_or(WallTime());
}

// Reads times, for which it needs the wall-clock time of the start.
class ReportReader {
 public:
  explicit ReportReader(const Parsed& json) : json_(json), start_(start_of(json)) {}

  [[nodiscard]] Report report() const;

 private:
  [[nodiscard]] std::optional<Moment> time(const Parsed& json, const char* name) const {
    const auto found = wall_time(string_in(json, name));
    return found ? std::optional(Moment{*found - start_, {}}) : std::nullopt;
  }
  [[nodiscard]] Moment some_time(const Parsed& json, const char* name) const {
    return time(json, name).value_or(Moment());
  }
  [[nodiscard]] FailedRank rank(const Parsed& json) const;
  [[nodiscard]] std::vector<FailedRank> ranks(const char* name) const;
  [[nodiscard]] std::vector<LostNode> lost_nodes() const;
  [[nodiscard]] std::optional<AgentTimes> agent(const Parsed& node) const;
  [[nodiscard]] std::vector<NodeRecord> nodes() const;
  [[nodiscard]] std::vector<SignalSent> signals() const;
  [[nodiscard]] std::optional<Hang> hang() const;
  [[nodiscard]] std::vector<slow::Named> slow() const;
  [[nodiscard]] Times times(const Parsed& json) const;
  [[nodiscard]] std::vector<AttemptSummary> attempts() const;

  const Parsed& json_;
  WallTime start_;
};

// If a reason is neither the process's end nor in its last lines, it comes from an exception.
FailedRank ReportReader::rank(const Parsed& json) const {
  FailedRank rank;
  rank.node = string_in(json, "node");
  rank.lost_peer = text::bool_in(json, "lost_peer");
  rank.time = some_time(json, "time");
  rank.time.error = error_of(text::decimal_in(json, "time_error_seconds"));
  RankEnd& end = rank.end;
  end.place = {number_in(json, "rank").value_or(0), number_in(json, "local_rank").value_or(0),
               number_in(json, "pid").value_or(0)};
  end.wait_status = wait_status_of(json);
  end.time = some_time(json, "end");
  end.ended_by_muster = text::bool_in(json, "ended_by_muster");
  end.out_of_memory = text::bool_in(json, "out_of_memory");
  end.last_lines = text::strings_in(json, "last_lines");
  end.last_lines_file = string_in(json, "last_lines_file");
  end.last_lines_shared = text::bool_in(json, "last_lines_shared");
  const auto reason = string_in(json, "reason");
  const auto traceback = string_in(json, "traceback");
  const bool is_known = reason == in_words(end.wait_status) || reason == reason_of(end);
  if (!traceback.empty() || (!reason.empty() && !is_known)) {
    end.exception = Exception{.message = reason, .traceback = traceback, .time = rank.time};
  }
  return rank;
}

std::vector<FailedRank> ReportReader::ranks(const char* name) const {
  std::vector<FailedRank> list;
  for (const auto& each : array_in(json_, name)) list.push_back(rank(each));
  return list;
}

std::vector<LostNode> ReportReader::lost_nodes() const {
  std::vector<LostNode> list;
  for (const auto& each : array_in(json_, "lost_nodes")) {
    list.push_back(
        {.node = string_in(each, "node"),
         .state = named(string_in(each, "state"), all_node_states).value_or(NodeState::lost),
         .tasks = number_in(each, "ranks").value_or(0),
         .last_word = time(each, "last_word")});
  }
  return list;
}

// All of it, or no value.
std::optional<AgentTimes> ReportReader::agent(const Parsed& node) const {
  const auto begun = time(node, "agent_start");
  const auto came = time(node, "rendezvous_begin");
  const auto met = time(node, "rendezvous_end");
  if (!begun || !came || !met) return std::nullopt;
  return AgentTimes{*begun, *came, *met};
}

std::optional<AtStore> at_store_of(const Parsed& node) {
  const auto& json = text::field(node, "store");
  const auto ranks = number_in(json, "ranks");
  if (!ranks) return std::nullopt;
  AtStore at{.ranks = *ranks};
  for (const auto& rank : array_in(json, "missing")) {
    if (rank.is_number_unsigned() && at.missing.size() < max_missing)
      at.missing.push_back(rank.get<std::uint32_t>());
  }
  return at;
}

std::vector<NodeRecord> ReportReader::nodes() const {
  std::vector<NodeRecord> list;
  for (const auto& each : array_in(json_, "nodes")) {
    NodeRecord node{
        .name = string_in(each, "node"),
        .state = named(string_in(each, "state"), all_node_states).value_or(NodeState::silent),
        .tasks = number_in(each, "ranks").value_or(0),
        .started = time(each, "first_start"),
        .last_word = time(each, "last_word"),
        .stuck_ranks = {},
        .remark = string_in(each, "remark"),
        .agent = agent(each),
        .at_store = at_store_of(each)};
    for (const auto& rank : array_in(each, "stuck_ranks")) {
      if (rank.is_number_unsigned()) node.stuck_ranks.push_back(rank.get<std::uint32_t>());
    }
    list.push_back(std::move(node));
  }
  return list;
}

std::vector<SignalSent> ReportReader::signals() const {
  std::vector<SignalSent> list;
  for (const auto& each : array_in(json_, "signals")) {
    list.push_back({.number = number_of_signal(string_in(each, "signal")).value_or(0),
                    .time = some_time(each, "time")});
  }
  return list;
}

std::optional<Hang> ReportReader::hang() const {
  const auto& json = text::field(json_, "hang");
  if (!json.is_object()) return std::nullopt;
  return Hang{.since = some_time(json, "since"),
              .found = string_in(json, "found"),
              .node = string_in(json, "node"),
              .dump = string_in(json, "dump")};
}

std::vector<slow::Named> ReportReader::slow() const {
  std::vector<slow::Named> list;
  for (const auto& each : array_in(json_, "slow")) {
    if (list.size() == max_slow) break;
    list.push_back(slow::named_from(each));
    list.back().since = some_time(each, "since").time;
  }
  return list;
}

Times ReportReader::times(const Parsed& json) const {
  return {.launched = some_time(json, "launch"),
          .first_start = time(json, "first_start"),
          .all_started = time(json, "all_started"),
          .failure = time(json, "failure"),
          .ending = time(json, "ending"),
          .last_end = time(json, "last_end"),
          .over = some_time(json, "over"),
          .first_agent = time(json, "first_agent"),
          .rendezvous_begin = time(json, "rendezvous_begin"),
          .rendezvous_end = time(json, "rendezvous_end"),
          .asleep = duration_of(text::decimal_in(json, "supervisor_asleep_seconds")),
          .process_group = time(json, "process_group")};
}

std::vector<AttemptSummary> ReportReader::attempts() const {
  std::vector<AttemptSummary> list;
  for (const auto& each : array_in(json_, "attempts")) {
    list.push_back(
        {.number = number_in(each, "number").value_or(0),
         .step = string_in(each, "step"),
         .nodes = text::strings_in(each, "nodes"),
         .ranks = number_in(each, "ranks").value_or(0),
         .result = named(string_in(each, "result"), all_results).value_or(Result::failed),
         .duration = duration_of(text::decimal_in(each, "seconds")),
         .cause = named(string_in(each, "cause"), all_causes),
         .reason = string_in(each, "reason"),
         .first_rank = number_in(each, "first_rank"),
         .first_node = string_in(each, "first_node"),
         .lost_nodes = text::strings_in(each, "lost_nodes"),
         .times = times(text::field(each, "times")),
         .hung = text::bool_in(each, "hung"),
         .loss = {.startup = perhaps_duration(each, "startup_seconds"),
                  .lost_work = perhaps_duration(each, "lost_work_seconds")},
         .held_up = part_in(each, "held_up_seconds"),
         .gpus = number_in(each, "gpus").value_or(0)});
  }
  return list;
}

std::vector<Victims> victims_of(const Parsed& json) {
  std::vector<Victims> list;
  std::size_t room = max_listed_ranks;
  for (const auto& each : array_in(json, "victims")) {
    const auto kind = named(string_in(each, "kind"), victim_kinds);
    list.push_back(
        {kind.value_or(VictimKind::later_failure), ranks_of(string_in(each, "ranks"), room)});
  }
  return list;
}

std::vector<PreflightProblem> problems_of(const Parsed& run) {
  std::vector<PreflightProblem> problems;
  for (const auto& each : array_in(run, "problems")) {
    problems.push_back({string_in(each, "node"), string_in(each, "verdict"),
                        string_in(each, "what"), string_in(each, "action")});
  }
  return problems;
}

std::vector<PreflightRun> preflight_of(const Parsed& json) {
  std::vector<PreflightRun> runs;
  for (const auto& each : array_in(text::field(json, "preflight"), "runs")) {
    runs.push_back(
        {.attempt = number_in(each, "attempt").value_or(0),
         .duration = duration_of(text::decimal_in(each, "seconds")),
         .nodes = number_in(each, "nodes").value_or(0),
         .rounds = number_in(each, "rounds").value_or(0),
         .latency_us = text::decimal_in(each, "median_latency_us"),
         .bandwidth = text::decimal_in(each, "median_bandwidth_mb_per_s") * 1e6,
         .nccl_latency_us = text::decimal_in(each, "nccl_median_latency_us"),
         .nccl_bandwidth = text::decimal_in(each, "nccl_median_bandwidth_mb_per_s") * 1e6,
         .problems = problems_of(each),
         .failure = string_in(each, "failure")});
  }
  return runs;
}

Report ReportReader::report() const {
  Report report;
  report.result = named(string_in(json_, "result"), all_results).value_or(Result::failed);
  report.cause = named(string_in(json_, "cause"), all_causes);
  report.exit_code = text::signed_in(json_, "exit_code").value_or(0);
  report.srun_code = text::signed_in(json_, "srun_exit_code").value_or(0);
  if (const auto& first = text::field(json_, "first"); first.is_object())
    report.first = rank(first);
  // Reports of earlier releases were always certain.
  report.certain = !text::field(json_, "certain").is_boolean() || text::bool_in(json_, "certain");
  report.suspects = ranks("suspects");
  report.others = ranks("others");
  report.victims = victims_of(json_);
  report.left_early = ranks("left_early");
  report.lost_nodes = lost_nodes();
  report.hang = hang();
  report.slow = slow();
  report.times = times(text::field(json_, "times"));
  report.attempts = attempts();
  report.earlier = account_of(text::field(text::field(json_, "effective"), "earlier"));
  report.preflight = preflight_of(json_);
  if (const auto group = number_in(json_, "group"))
    report.group = GroupNumber{static_cast<std::uint32_t>(*group), 0};
  report.program = string_in(json_, "program");
  report.command = text::strings_in(json_, "command");
  report.nodes = nodes();
  report.signals = signals();
  const auto& slurm = text::field(json_, "slurm");
  report.slurm = {string_in(slurm, "job_state"), string_in(slurm, "reason")};
  report.without_slurm = text::bool_in(json_, "without_slurm");
  report.slurm_restarts = number_in(json_, "slurm_restarts").value_or(0);
  report.wall_start = start_;
  return report;
}

}  // namespace

ReadReport read_json(std::string_view text) {
  Parsed json;
  try {
    json = text::parse_json(text);
  } catch (const Parsed::exception&) {
    throw Error("it is not JSON, or it is truncated");
  }
  if (number_in(json, "version") != 1U || !text::field(json, "result").is_string()) {
    throw Error("it is not a version 1 report");
  }
  return {ReportReader(json).report(), string_in(json, "summary")};
}

}  // namespace muster::report
