#include "core/report/json.hpp"

#include "core/report/effective_time.hpp"
#include "core/report/exit_status.hpp"
#include "core/report/moments.hpp"
#include "core/report/screen.hpp"
#include "core/report/summary.hpp"
#include "core/slow/json.hpp"
#include "core/text/amounts.hpp"
#include "core/text/json.hpp"

#include <cmath>
#include <span>

namespace muster::report {
namespace {

// Keys in the order in which people want to read them.
using Json = nlohmann::ordered_json;

constexpr int version = 1;

// Writes times, for which it needs the wall-clock time of the start.
class Writer {
 public:
  explicit Writer(const Report& report) : report_(report) {}

  [[nodiscard]] Json time(const Moment& moment) const {
    return utc_text(report_.wall_start, moment);
  }
  [[nodiscard]] Json time(const std::optional<Moment>& moment) const {
    return moment ? time(*moment) : Json();
  }
  [[nodiscard]] Json rank(const FailedRank& rank) const;
  [[nodiscard]] Json first() const;
  [[nodiscard]] Json ranks(const std::vector<FailedRank>& list) const;
  [[nodiscard]] Json hang() const;
  [[nodiscard]] Json slow() const;
  [[nodiscard]] Json lost_nodes() const;
  [[nodiscard]] Json nodes() const;
  [[nodiscard]] Json signals() const;
  [[nodiscard]] Json times(const Times& times) const;
  [[nodiscard]] Json attempts() const;

 private:
  const Report& report_;
};

Json seconds_or_null(const std::optional<std::chrono::nanoseconds>& duration) {
  return duration ? Json(seconds_of(*duration)) : Json();
}

Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json signal_json(const std::optional<int>& number) {
  return number ? Json(signal_name(*number)) : Json();
}

Json code_json(const RankEnd& end) {
  const auto code = exit_code(end.wait_status);
  return code ? Json(*code) : Json();
}

Json Writer::rank(const FailedRank& rank) const {
  const auto& end = rank.end;
  return {{"rank", end.place.rank},
          {"local_rank", end.place.local_rank},
          {"node", or_null(rank.node)},
          {"pid", end.place.pid},
          {"time", time(rank.time)},
          {"time_error_seconds", std::chrono::duration<double>(rank.time.error).count()},
          {"code", code_json(end)},
          {"signal", signal_json(end_signal(end.wait_status))},
          {"core_dumped", has_core_file(end.wait_status)},
          {"out_of_memory", end.out_of_memory},
          {"ended_by_muster", end.ended_by_muster},
          {"lost_peer", rank.lost_peer},
          {"end", time(end.time)},
          {"reason", reason_of(end)}};
}

Json Writer::first() const {
  if (!report_.first) return {};
  const auto& end = report_.first->end;
  Json json = rank(*report_.first);
  json["traceback"] = end.exception ? or_null(end.exception->traceback) : Json();
  json["last_lines"] = end.last_lines;
  json["last_lines_file"] = or_null(end.last_lines_file);
  json["last_lines_shared"] = end.last_lines_shared;
  return json;
}

Json Writer::ranks(const std::vector<FailedRank>& list) const {
  auto json = Json::array();
  for (const auto& each : list) json.push_back(rank(each));
  return json;
}

Json Writer::hang() const {
  if (!report_.hang) return {};
  const auto& hang = *report_.hang;
  return {{"since", time(hang.since)},
          {"found", or_null(hang.found)},
          {"node", or_null(hang.node)},
          {"dump", or_null(hang.dump)}};
}

Json Writer::slow() const {
  auto list = Json::array();
  for (const auto& each : report_.slow) {
    auto json = slow::to_json(each);
    json["since"] = time(Moment{each.since, {}});
    list.push_back(std::move(json));
  }
  return list;
}

Json Writer::lost_nodes() const {
  auto list = Json::array();
  for (const auto& node : report_.lost_nodes) {
    list.push_back({{"node", node.node},
                    {"last_word", time(node.last_word)},
                    {"state", to_string(node.state)},
                    {"ranks", node.tasks}});
  }
  return list;
}

std::optional<Moment> agent_time(const NodeRecord& node, Moment AgentTimes::*moment) {
  return node.agent ? std::optional((*node.agent).*moment) : std::nullopt;
}

Json at_store_json(const std::optional<AtStore>& at) {
  return at ? Json{{"ranks", at->ranks}, {"missing", at->missing}} : Json();
}

Json Writer::nodes() const {
  auto list = Json::array();
  for (const auto& node : report_.nodes) {
    list.push_back({{"node", node.name},
                    {"state", to_string(node.state)},
                    {"ranks", node.tasks},
                    {"agent_start", time(agent_time(node, &AgentTimes::begun))},
                    {"rendezvous_begin", time(agent_time(node, &AgentTimes::came))},
                    {"rendezvous_end", time(agent_time(node, &AgentTimes::met))},
                    {"first_start", time(node.started)},
                    {"last_word", time(node.last_word)},
                    {"stuck_ranks", node.stuck_ranks},
                    {"remark", or_null(node.remark)},
                    {"store", at_store_json(node.at_store)}});
  }
  return list;
}

Json Writer::signals() const {
  auto list = Json::array();
  for (const auto& signal : report_.signals) {
    list.push_back({{"signal", signal_name(signal.number)}, {"time", time(signal.time)}});
  }
  return list;
}

Json Writer::times(const Times& times) const {
  Json json{{"launch", time(times.launched)},
            {"first_agent", time(times.first_agent)},
            {"rendezvous_begin", time(times.rendezvous_begin)},
            {"rendezvous_end", time(times.rendezvous_end)},
            {"first_start", time(times.first_start)},
            {"all_started", time(times.all_started)},
            {"failure", time(times.failure)},
            {"ending", time(times.ending)},
            {"last_end", time(times.last_end)},
            {"over", time(times.over)},
            {"process_group", time(times.process_group)}};
  if (times.asleep.count() > 0) json["supervisor_asleep_seconds"] = seconds_of(times.asleep);
  return json;
}

Json victims_json(const std::vector<Victims>& victims) {
  auto list = Json::array();
  for (const auto& [kind, ranks] : victims) {
    list.push_back({{"kind", to_string(kind)},
                    {"count", ranks.size()},
                    {"ranks", text::ranges_within(ranks, std::string::npos)}});
  }
  return list;
}

Json Writer::attempts() const {
  auto list = Json::array();
  for (const auto& attempt : report_.attempts) {
    list.push_back({{"number", attempt.number},
                    {"step", or_null(attempt.step)},
                    {"nodes", attempt.nodes},
                    {"ranks", attempt.ranks},
                    {"result", to_string(attempt.result)},
                    {"seconds", seconds_of(attempt.duration)},
                    {"cause", attempt.cause ? Json(to_string(*attempt.cause)) : Json()},
                    {"reason", or_null(attempt.reason)},
                    {"first_rank", attempt.first_rank ? Json(*attempt.first_rank) : Json()},
                    {"first_node", or_null(attempt.first_node)},
                    {"lost_nodes", attempt.lost_nodes},
                    {"hung", attempt.hung},
                    {"startup_seconds", seconds_or_null(attempt.loss.startup)},
                    {"lost_work_seconds", seconds_or_null(attempt.loss.lost_work)},
                    {"held_up_seconds", seconds_of(attempt.held_up)},
                    {"gpus", attempt.gpus},
                    {"times", times(attempt.times)}});
  }
  return list;
}

Json share_json(const cost::Account& time) {
  return std::round(cost::effective_share(time) * 10000) / 10000;
}

Json lost_gpus_json(const cost::Account& time) {
  auto lost = Json::object();
  for (const auto& [cause, seconds] : time.lost_gpus)
    lost[std::string(cause)] = std::round(seconds * 1000) / 1000;
  return lost;
}

Json account_json(const cost::Account& time) {
  const auto if_known = [](bool is_known, cost::Time part) {
    return is_known ? Json(seconds_of(part)) : Json();
  };
  return {{"wall_seconds", seconds_of(time.wall)},
          {"all_ran_seconds", seconds_of(time.all_ran)},
          {"startup_seconds", if_known(time.has_startup, time.startup)},
          {"lost_work_seconds", if_known(time.has_progress, time.lost_work)},
          {"lost_work_limit_seconds", if_known(!time.has_progress, cost::lost_work_limit(time))},
          {"held_up_seconds", seconds_of(time.held_up)},
          {"start_seconds", seconds_of(time.start)},
          {"detection_seconds", seconds_of(time.detection)},
          {"stop_seconds", seconds_of(time.stop)},
          {"pauses_seconds", seconds_of(time.pauses)},
          {"hang_seconds", seconds_of(time.hang)},
          {"queue_seconds", seconds_of(time.queue)},
          {"lost_gpu_seconds", lost_gpus_json(time)}};
}

Json effective_json(const Report& report) {
  const auto time = effective_time(report);
  Json json{{"share", share_json(time)}};
  json.update(account_json(time));
  json["earlier"] = report.earlier.wall.count() > 0 ? account_json(report.earlier) : Json();
  return json;
}

Json problems_json(std::span<const PreflightProblem> problems) {
  auto list = Json::array();
  for (const auto& [node, verdict, what, action] : problems) {
    list.push_back({{"node", node}, {"verdict", verdict}, {"what", what}, {"action", action}});
  }
  return list;
}

// A figure is null if its test did not take place.
Json preflight_json(std::span<const PreflightRun> runs) {
  if (runs.empty()) return {};
  const auto figure = [](double value) {
    return value > 0 ? Json(std::round(value * 100) / 100) : Json();
  };
  auto list = Json::array();
  for (const auto& run : runs) {
    list.push_back({{"attempt", run.attempt},
                    {"seconds", seconds_of(run.duration)},
                    {"nodes", run.nodes},
                    {"rounds", run.rounds},
                    {"median_latency_us", figure(run.latency_us)},
                    {"median_bandwidth_mb_per_s", figure(run.bandwidth / 1e6)},
                    {"nccl_median_latency_us", figure(run.nccl_latency_us)},
                    {"nccl_median_bandwidth_mb_per_s", figure(run.nccl_bandwidth / 1e6)},
                    {"problems", problems_json(run.problems)},
                    {"failure", or_null(run.failure)}});
  }
  return {{"runs", list}};
}

Json slurm_json(const SlurmJobState& slurm) {
  return {{"job_state", or_null(slurm.job_state)}, {"reason", or_null(slurm.reason)}};
}

}  // namespace

std::string to_json(const Report& report) {
  const Writer writer(report);
  const Json json{{"version", version},
                  {"result", to_string(report.result)},
                  {"exit_code", report.exit_code},
                  {"srun_exit_code", report.srun_code},
                  {"cause", report.cause ? Json(to_string(*report.cause)) : Json()},
                  {"summary", summary(report)},
                  {"group", report.group ? Json(report.group->number) : Json()},
                  {"program", report.program},
                  {"command", report.command},
                  {"without_slurm", report.without_slurm},
                  {"slurm_restarts", report.slurm_restarts},
                  {"first", writer.first()},
                  {"certain", report.certain},
                  {"suspects", writer.ranks(report.suspects)},
                  {"others", writer.ranks(report.others)},
                  {"left_early", writer.ranks(report.left_early)},
                  {"victims", victims_json(report.victims)},
                  {"lost_nodes", writer.lost_nodes()},
                  {"hang", writer.hang()},
                  {"slow", writer.slow()},
                  {"times", writer.times(report.times)},
                  {"signals", writer.signals()},
                  {"slurm", slurm_json(report.slurm)},
                  {"attempts", writer.attempts()},
                  {"preflight", preflight_json(report.preflight)},
                  {"effective", effective_json(report)},
                  {"nodes", writer.nodes()}};
  return text::readable_text(json);
}

}  // namespace muster::report
