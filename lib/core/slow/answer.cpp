#include "core/slow/answer.hpp"

#include "core/error.hpp"
#include "core/record/limits.hpp"
#include "core/text/json.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace muster::slow {
namespace {

using nlohmann::json;
using std::chrono::nanoseconds;

constexpr int max_depth = 4;
constexpr std::uint64_t max_wall = std::uint64_t{1} << 62;
constexpr std::uint64_t max_took_us = 600'000'000;
constexpr std::size_t numbers_of_arrival = 4;  // and how long it took, if that is known

[[noreturn]] void refuse(std::string_view what) {
  throw Error(fmt::format("a rank's flight recorder {}", what));
}

const json& field(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) refuse(fmt::format("lacks its field {}", name));
  return *found;
}

std::uint64_t number(const json& value, std::uint64_t most) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
    refuse("sent something other than a number where a number belongs");
  return value.get<std::uint64_t>();
}

std::string line(const json& value, std::size_t most) {
  if (!value.is_string()) refuse("sent something other than text where text belongs");
  return record::fitting(value.get_ref<const std::string&>(), record::Line{most});
}

const json& list(const json& object, const char* name, std::size_t most) {
  const auto& value = field(object, name);
  if (!value.is_array() || value.size() > most) refuse(fmt::format("has no list of {}", name));
  return value;
}

Group group_of(const json& value) {
  if (!value.is_object()) refuse("sent something other than a group where a group belongs");
  const auto& pairs = field(value, "pairs");
  return {.name = line(field(value, "group"), max_name_bytes),
          .text = line(field(value, "text"), max_name_bytes),
          .ranks = line(field(value, "ranks"), max_ranks_bytes),
          .size = static_cast<std::uint32_t>(number(field(value, "size"), max_rank + 1)),
          .pairs = pairs.is_boolean() && pairs.get<bool>()};
}

std::uint32_t index(const json& value, std::size_t size) {
  if (size == 0) refuse("refers to a group or an operation that it did not send");
  return static_cast<std::uint32_t>(number(value, size - 1));
}

Arrival arrival_of(const json& value, const Answer& answer, std::uint64_t base) {
  if (!value.is_array() || value.size() < numbers_of_arrival ||
      value.size() > numbers_of_arrival + 1)
    refuse("sent an invalid arrival time");
  const auto wall = base + number(value[3], max_wall - base);
  Arrival arrival{.group = index(value[0], answer.groups.size()),
                  .operation = index(value[2], answer.operations.size()),
                  .number = number(value[1], max_wall),
                  .wall = nanoseconds(wall)};
  if (value.size() > numbers_of_arrival)
    arrival.took = std::chrono::microseconds(number(value[4], max_took_us));
  return arrival;
}

nanoseconds cost_of(const json& value) {
  constexpr double most = 600;
  if (!value.is_number()) refuse("has no cost");
  const auto seconds = value.get<double>();
  if (!std::isfinite(seconds) || seconds < 0 || seconds > most) refuse("has no cost");
  return nanoseconds(std::llround(seconds * 1e9));
}

json parsed(std::string_view text) {
  if (text.size() > max_answer_bytes) refuse("sent too much data");
  try {
    return text::parse_json(text, [](int depth, json::parse_event_t /*event*/, json& /*parsed*/) {
      if (depth > max_depth) refuse("is nested too deeply");
      return true;
    });
  } catch (const json::exception&) {
    refuse("did not answer in JSON");
  }
}

}  // namespace

Answer answer_of(std::string_view text) {
  const auto value = parsed(text);
  if (!value.is_object()) refuse("did not answer with a JSON object");
  if (value.contains("error")) refuse("cannot be read: " + line(value["error"], max_name_bytes));
  Answer answer{.rank = static_cast<std::uint32_t>(number(field(value, "rank"), max_rank)),
                .cost = cost_of(field(value, "cost"))};
  for (const auto& group : list(value, "groups", max_groups))
    answer.groups.push_back(group_of(group));
  for (const auto& name : list(value, "operations", max_operations))
    answer.operations.push_back(line(name, max_name_bytes));
  const auto base = number(field(value, "base"), max_wall);
  for (const auto& each : list(value, "times", max_collectives))
    answer.arrivals.push_back(arrival_of(each, answer, base));
  return answer;
}

}  // namespace muster::slow
