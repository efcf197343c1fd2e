#include "core/restart/saved.hpp"

#include "core/cost/step_number.hpp"
#include "core/text/json.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace muster::restart {
namespace {

using Json = nlohmann::json;
using std::chrono::nanoseconds;
using std::chrono::system_clock;

constexpr int version = 1;
constexpr int max_depth = 3;
constexpr std::uint32_t max_attempts = 10000;
constexpr std::size_t max_saved_name = 255;
constexpr std::uint32_t max_saved_gpus = 1U << 30U;
// Nanoseconds since 1970, up to the year 2200.
constexpr std::int64_t max_time = 7'258'118'400'000'000'000;

nanoseconds since_1970(system_clock::time_point start) {
  return std::chrono::duration_cast<nanoseconds>(start.time_since_epoch());
}

// Of many attempts, only the newest ones: the text has a limit.
constexpr std::size_t max_costs = 100;
constexpr std::size_t max_saved_marks = 64;

// Behind the attempt's other values, where earlier releases do not look.
void add_cost(Json& json, const cost::Attempt& cost, nanoseconds start) {
  const auto time = [start](Time since) { return (start + since).count(); };
  const auto perhaps = [&time](const auto& since) { return since ? Json(time(*since)) : Json(); };
  json.insert(json.end(), {perhaps(cost.all_started), time(cost.ceased), perhaps(cost.ending),
                           cost.asleep.count(), cost.hung, cost.after_requeue, perhaps(cost.group),
                           cost.held_up.count(), cost.gpus});
  for (const auto& mark : cost.progress.thinned(max_saved_marks)) {
    json.push_back(time(mark.time));
    json.push_back(mark.step ? Json(*mark.step) : Json());
  }
}

// Only the newest ones can still matter. They are saved as a separate value, which earlier releases ignore.
constexpr std::size_t max_start_errors = 16;
constexpr std::size_t max_saved_error = 1024;

Json start_errors_of(const std::vector<AttemptHistory>& past) {
  auto json = Json::array();
  const auto first = past.size() - std::min(past.size(), max_start_errors);
  for (auto i = first; i < past.size(); ++i) {
    const auto& error = past[i].start_error;
    if (error) json.push_back(Json::array({i, error->node, error->what}));
  }
  return json;
}

Json json_of(const AttemptHistory& attempt, nanoseconds start, bool with_cost) {
  const auto time = [start](Time since) { return (start + since).count(); };
  auto json = Json::array({static_cast<int>(attempt.result),
                           attempt.cause ? Json(static_cast<int>(*attempt.cause)) : Json(),
                           std::clamp(attempt.exit_code, 0, 255), attempt.first_node,
                           time(attempt.launched),
                           attempt.first_start ? Json(time(*attempt.first_start)) : Json(),
                           time(attempt.failed), time(attempt.over), attempt.port_taken});
  if (with_cost && attempt.cost) add_cost(json, *attempt.cost, start);
  return json;
}

// Throws std::exception for anything that json_of() cannot have made.
std::int64_t number(const Json& json, std::int64_t max) {
  if (!json.is_number_integer()) throw std::out_of_range("no whole number");
  const auto value = json.get<std::int64_t>();
  if (value < 0 || value > max) throw std::out_of_range("no such number");
  return value;
}

double step_from(const Json& json) {
  const auto step = json.get<double>();
  if (!(step >= 0 && step <= cost::max_step)) throw std::out_of_range("no step");
  return step;
}

// No value if earlier releases wrote it, or later ones something else.
std::optional<cost::Attempt> cost_from(const Json& json, const AttemptHistory& attempt,
                                       nanoseconds start) {
  constexpr std::size_t first = 9;
  constexpr std::size_t first_mark = first + 9;
  if (json.size() < first_mark) return std::nullopt;
  const auto time = [start](const Json& text) { return Time(number(text, max_time)) - start; };
  const auto perhaps = [&time](const Json& text) {
    return text.is_null() ? std::nullopt : std::optional(time(text));
  };
  cost::Attempt cost{.launched = attempt.launched,
                     .all_started = perhaps(json.at(first)),
                     .ceased = time(json.at(first + 1)),
                     .ending = perhaps(json.at(first + 2)),
                     .over = attempt.over,
                     .asleep = Time(number(json.at(first + 3), max_time)),
                     .hung = json.at(first + 4).get<bool>(),
                     .after_requeue = json.at(first + 5).get<bool>()};
  cost.group = perhaps(json.at(first + 6));
  cost.held_up = Time(number(json.at(first + 7), max_time));
  cost.gpus = static_cast<std::uint32_t>(number(json.at(first + 8), max_saved_gpus));
  for (auto i = first_mark; i < json.size(); i += 2) {
    const auto& step = json.at(i + 1);
    cost.progress.add(
        {time(json.at(i)), step.is_null() ? std::nullopt : std::optional(step_from(step))});
  }
  return cost;
}

std::string string_from(const Json& json, std::size_t most) {
  auto text = json.get<std::string>();
  if (text.size() > most) throw std::out_of_range("too long");
  return text;
}

void read_start_errors(const Json& json, std::vector<AttemptHistory>& past) {
  for (const auto& error : json) {
    auto& attempt = past.at(static_cast<std::size_t>(number(error.at(0), max_attempts)));
    attempt.start_error = {string_from(error.at(1), max_saved_name),
                           string_from(error.at(2), max_saved_error)};
  }
}

AttemptHistory history_from(const Json& json, nanoseconds start) {
  const auto time = [start](const Json& text) { return Time(number(text, max_time)) - start; };
  AttemptHistory attempt;
  attempt.result =
      static_cast<report::Result>(number(json.at(0), static_cast<int>(report::Result::preempted)));
  if (!json.at(1).is_null()) {
    attempt.cause =
        static_cast<report::Cause>(number(json.at(1), static_cast<int>(report::Cause::hang)));
  }
  attempt.exit_code = static_cast<std::int32_t>(number(json.at(2), 255));
  attempt.first_node = string_from(json.at(3), max_saved_name);
  attempt.launched = time(json.at(4));
  if (!json.at(5).is_null()) attempt.first_start = time(json.at(5));
  attempt.failed = time(json.at(6));
  attempt.over = time(json.at(7));
  if (json.size() > 8) attempt.port_taken = json.at(8).get<bool>();
  attempt.cost = cost_from(json, attempt, start);
  return attempt;
}

Saved read(const Json& json, nanoseconds start) {
  if (number(json.at("version"), version) != version) throw std::out_of_range("another version");
  Saved saved;
  saved.requeues = static_cast<std::uint32_t>(number(json.at("requeues"), max_attempts));
  saved.begun = static_cast<std::uint32_t>(number(json.at("begun"), max_attempts));
  for (const auto& attempt : json.at("past")) saved.past.push_back(history_from(attempt, start));
  if (json.contains("start_errors")) read_start_errors(json.at("start_errors"), saved.past);
  if (saved.past.size() > saved.begun) throw std::out_of_range("more attempts than have begun");
  while (saved.past.size() < saved.begun) {
    AttemptHistory unknown;
    unknown.result = report::Result::cancelled;
    // Nothing shows that it failed soon after its start.
    unknown.first_start = -std::chrono::hours(1);
    saved.past.push_back(unknown);
  }
  for (std::uint32_t i = 0; i < saved.begun; ++i) saved.past[i].number = i;
  return saved;
}

}  // namespace

std::string to_text(const Saved& saved, system_clock::time_point start) {
  auto past = Json::array();
  for (std::size_t i = 0; i < saved.past.size(); ++i) {
    past.push_back(json_of(saved.past[i], since_1970(start), i + max_costs >= saved.past.size()));
  }
  return text::compact_text(Json{{"version", version},
                                 {"requeues", saved.requeues},
                                 {"begun", saved.begun},
                                 {"past", std::move(past)},
                                 {"start_errors", start_errors_of(saved.past)}});
}

std::optional<Saved> saved_from(std::string_view text, system_clock::time_point start) {
  if (text.size() > max_saved_bytes) return std::nullopt;
  const auto shallow = [](int depth, Json::parse_event_t, Json&) {
    if (depth > max_depth) throw std::out_of_range("nested too deeply");
    return true;
  };
  try {
    return read(text::parse_json(text, shallow), since_1970(start));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace muster::restart
