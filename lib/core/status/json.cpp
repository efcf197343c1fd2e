#include "core/status/json.hpp"

#include "core/error.hpp"
#include "core/slow/json.hpp"
#include "core/text/json.hpp"
#include "core/text/json_fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace muster::status {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr int version = 1;
constexpr std::size_t max_nodes = 65536;
constexpr std::size_t max_steps = 1024;
constexpr std::size_t max_name_bytes = 255;

Json seconds(milliseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

template <class Value, class Make>
Json or_null(const std::optional<Value>& value, const Make& make) {
  return value ? make(*value) : Json(nullptr);
}

Json traffic_json(const Traffic& traffic) {
  return {{"in", traffic.in}, {"out", traffic.out}};
}

template <class Kind>
Json kinds(const Kind& kind) {
  return {{"network", or_null(kind.network, traffic_json)},
          {"rdma", or_null(kind.rdma, traffic_json)},
          {"files", or_null(kind.files, traffic_json)}};
}

Json output(const LastOutput& output) {
  return {{"rank", output.rank}, {"age", seconds(output.age)}, {"bytes", output.bytes}};
}

Json at_store(const AtStore& at) {
  return {{"ranks", at.ranks}, {"missing", at.missing}};
}

Json counts(const Counts& counts) {
  auto json = kinds(counts);
  json["time"] = seconds(counts.time);
  json["output"] = or_null(counts.output, output);
  json["store"] = or_null(counts.store, at_store);
  return json;
}

Json node(const Node& node) {
  return {{"name", node.name},
          {"state", node.state},
          {"ranks", node.ranks},
          {"ranks_up", node.ranks_up},
          {"silence", or_null(node.silence, seconds)},
          {"counts", or_null(node.counts, counts)},
          {"rates", or_null(node.rates, kinds<Rates>)}};
}

Json nanoseconds_json(cost::Time time) {
  return std::round(std::chrono::duration<double, std::milli>(time).count()) / 1000;
}

Json lost_gpus_json(const cost::Account& time) {
  auto lost = Json::object();
  for (const auto& [cause, seconds] : time.lost_gpus)
    lost[std::string(cause)] = std::round(seconds * 1000) / 1000;
  return lost;
}

Json account_json(const cost::Account& time) {
  const auto if_known = [](bool is_known, cost::Time part) {
    return is_known ? nanoseconds_json(part) : Json();
  };
  return {{"share", std::round(cost::effective_share(time) * 10000) / 10000},
          {"wall", nanoseconds_json(time.wall)},
          {"all_ran", nanoseconds_json(time.all_ran)},
          {"startup", if_known(time.has_startup, time.startup)},
          {"lost_work", if_known(time.has_progress, time.lost_work)},
          {"lost_work_limit", if_known(!time.has_progress, cost::lost_work_limit(time))},
          {"held_up", nanoseconds_json(time.held_up)},
          {"lost_gpu_seconds", lost_gpus_json(time)},
          {"start", nanoseconds_json(time.start)},
          {"detection", nanoseconds_json(time.detection)},
          {"stop", nanoseconds_json(time.stop)},
          {"pauses", nanoseconds_json(time.pauses)},
          {"hang", nanoseconds_json(time.hang)},
          {"queue", nanoseconds_json(time.queue)}};
}

Json run_json(const Run& run) {
  Json restarts = Json::object();
  for (const auto& [cause, count] : run.restarts) restarts[cause] = count;
  return {{"cluster", run.cluster},
          {"user", run.user},
          {"job", run.job},
          {"first_step", run.step},
          {"group", run.group ? Json(run.group->number) : Json()},
          {"groups", run.group ? Json(run.group->count) : Json()},
          {"attempts", run.attempts},
          {"restarts", std::move(restarts)},
          {"effective", account_json(run.time)},
          {"gpus", run.gpus},
          {"hung", run.hung},
          {"progress", run.progress ? Json(*run.progress) : Json()},
          {"slow_ranks", run.slow_ranks ? Json(*run.slow_ranks) : Json()}};
}

Json step_json(const Step& step) {
  Json nodes = Json::array();
  for (const auto& each : step.nodes) nodes.push_back(node(each));
  Json slow = Json::array();
  for (const auto& each : step.slow) slow.push_back(slow::to_json(each));
  return {{"step", step.name},         {"host", step.host},
          {"attempt", step.attempt},   {"restarts_left", step.restarts_left},
          {"age", seconds(step.age)},  {"ending", step.ending},
          {"logs", step.logs},         {"ranks", step.ranks},
          {"ranks_up", step.ranks_up}, {"output", or_null(last_output(step), output)},
          {"slow", std::move(slow)},   {"run", or_null(step.run, run_json)},
          {"nodes", std::move(nodes)}};
}

// ---- and back

using Parsed = nlohmann::json;

constexpr std::size_t max_slow = 64;

[[noreturn]] void refuse() {
  throw Error(
      "the supervisor's answer is not a status; is the same muster version installed on both hosts?");
}

milliseconds time_of(const Parsed& json) {
  constexpr double max_seconds = 1e10;
  const auto value = json.get<double>();
  if (!(value >= 0 && value < max_seconds)) refuse();
  return milliseconds(static_cast<std::int64_t>(value * 1000 + 0.5));
}

std::string name_of(const Parsed& json) {
  const auto& text = json.get_ref<const std::string&>();
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (text.size() > max_name_bytes || std::ranges::any_of(text, is_control)) refuse();
  return text;
}

template <class Read>
auto if_there(const Parsed& json, const Read& read) -> std::optional<decltype(read(json))> {
  if (json.is_null()) return std::nullopt;
  return read(json);
}

Traffic traffic_of(const Parsed& json) {
  return {json.at("in").get<std::int64_t>(), json.at("out").get<std::int64_t>()};
}

LastOutput output_of(const Parsed& json) {
  return {.rank = json.at("rank").get<std::uint32_t>(),
          .age = time_of(json.at("age")),
          .bytes = json.at("bytes").get<std::int64_t>()};
}

template <class Kind>
Kind kinds_of(const Parsed& json) {
  Kind kind;
  kind.network = if_there(json.at("network"), traffic_of);
  kind.rdma = if_there(json.at("rdma"), traffic_of);
  kind.files = if_there(json.at("files"), traffic_of);
  return kind;
}

AtStore at_store_of(const Parsed& json) {
  AtStore at{.ranks = json.at("ranks").get<std::uint32_t>()};
  const auto& missing = json.at("missing");
  if (!missing.is_array() || missing.size() > max_missing) refuse();
  for (const auto& rank : missing) at.missing.push_back(rank.get<std::uint32_t>());
  return at;
}

Counts counts_of(const Parsed& json) {
  auto counts = kinds_of<Counts>(json);
  counts.time = time_of(json.at("time"));
  counts.output = if_there(json.at("output"), output_of);
  if (json.contains("store")) counts.store = if_there(json.at("store"), at_store_of);
  return counts;
}

Node node_of(const Parsed& json) {
  return {.name = name_of(json.at("name")),
          .state = name_of(json.at("state")),
          .ranks = json.at("ranks").get<std::uint32_t>(),
          .ranks_up = json.at("ranks_up").get<std::uint32_t>(),
          .silence = if_there(json.at("silence"), time_of),
          .counts = if_there(json.at("counts"), counts_of),
          .rates = if_there(json.at("rates"), kinds_of<Rates>)};
}

// A part of the account; 0 if it is unknown.
cost::Time part_of(const Parsed& json) {
  return json.is_null() ? cost::Time(0) : cost::Time(time_of(json));
}

cost::GpuSeconds lost_gpus_of(const Parsed& json) {
  constexpr double max_gpu_seconds = 1e15;
  cost::GpuSeconds lost;
  for (const auto& part : cost::lost_parts({.has_progress = true, .has_startup = true})) {
    const auto found = json.find(part.cause);
    if (found == json.end()) continue;
    const auto seconds = found->get<double>();
    if (!(seconds >= 0 && seconds <= max_gpu_seconds)) refuse();
    lost[part.cause] = seconds;
  }
  return lost;
}

cost::Account account_of(const Parsed& json) {
  cost::Account account{.wall = part_of(json.at("wall")),
                        .all_ran = part_of(json.at("all_ran")),
                        .start = part_of(json.at("start")),
                        .detection = part_of(json.at("detection")),
                        .stop = part_of(json.at("stop")),
                        .pauses = part_of(json.at("pauses")),
                        .startup = part_of(json.at("startup")),
                        .lost_work = part_of(json.at("lost_work")),
                        .hang = part_of(json.at("hang")),
                        .queue = part_of(json.at("queue")),
                        .has_progress = !json.at("lost_work").is_null(),
                        .has_startup = !json.at("startup").is_null(),
                        .held_up = part_of(json.at("held_up")),
                        .lost_gpus = lost_gpus_of(json.at("lost_gpu_seconds"))};
  const auto effective = cost::effective(account);
  account.last_effective = effective - std::min(part_of(json.at("lost_work_limit")), effective);
  return account;
}

std::optional<GroupNumber> group_of(const Parsed& json) {
  if (!json.contains("group") || json.at("group").is_null()) return std::nullopt;
  return GroupNumber{json.at("group").get<std::uint32_t>(), json.at("groups").get<std::uint32_t>()};
}

Run run_of(const Parsed& json) {
  constexpr std::size_t max_causes = 16;
  Run run{.cluster = name_of(json.at("cluster")),
          .user = name_of(json.at("user")),
          .job = name_of(json.at("job")),
          .step = name_of(json.at("first_step")),
          .group = group_of(json),
          .attempts = json.at("attempts").get<std::uint32_t>(),
          .time = account_of(json.at("effective")),
          .gpus = json.at("gpus").get<std::uint32_t>(),
          .hung = json.at("hung").get<bool>()};
  const auto& restarts = json.at("restarts");
  if (!restarts.is_object() || restarts.size() > max_causes) refuse();
  for (const auto& [cause, count] : restarts.items())
    run.restarts[name_of(cause)] = count.get<std::uint32_t>();
  if (!json.at("progress").is_null()) run.progress = json.at("progress").get<double>();
  if (!json.at("slow_ranks").is_null()) run.slow_ranks = json.at("slow_ranks").get<std::uint32_t>();
  return run;
}

Step step_of(const Parsed& json) {
  Step step{.name = name_of(json.at("step")),
            .host = name_of(json.at("host")),
            .attempt = json.at("attempt").get<std::uint32_t>(),
            .restarts_left = json.at("restarts_left").get<std::uint32_t>(),
            .age = time_of(json.at("age")),
            .ending = json.at("ending").get<bool>(),
            .logs = json.at("logs").get<bool>(),
            .ranks = json.at("ranks").get<std::uint32_t>(),
            .ranks_up = json.at("ranks_up").get<std::uint32_t>(),
            .nodes = {}};
  const auto& slow = text::array_in(json, "slow");
  if (slow.size() > max_slow) refuse();
  for (const auto& each : slow) step.slow.push_back(slow::named_from(each));
  if (json.contains("run")) step.run = if_there(json.at("run"), run_of);
  const auto& nodes = json.at("nodes");
  if (!nodes.is_array() || nodes.size() > max_nodes) refuse();
  for (const auto& each : nodes) step.nodes.push_back(node_of(each));
  return step;
}

Parsed parse(std::string_view text) {
  constexpr int max_depth = 8;
  if (text.size() > max_answer_bytes) refuse();
  return text::parse_json(text, [](int depth, auto /*event*/, auto& /*parsed*/) {
    if (depth > max_depth) refuse();
    return true;
  });
}

}  // namespace

std::string to_line(const Step& step) {
  return text::compact_text(Parsed(step_json(step)));
}

std::string to_json(const std::vector<Step>& steps) {
  Json json{{"version", version}, {"steps", Json::array()}};
  for (const auto& step : steps) json["steps"].push_back(step_json(step));
  return text::readable_text(json);
}

Step step_from(std::string_view line) {
  try {
    return step_of(parse(line));
  } catch (const nlohmann::json::exception&) {
    refuse();
  }
}

std::vector<Step> steps_from(std::string_view json) {
  try {
    const auto parsed = parse(json);
    const auto& steps = parsed.at("steps");
    if (parsed.at("version") != version || !steps.is_array() || steps.size() > max_steps) refuse();
    std::vector<Step> found;
    for (const auto& step : steps) found.push_back(step_of(step));
    return found;
  } catch (const nlohmann::json::exception&) {
    refuse();
  }
}

}  // namespace muster::status
