#include "core/slow/json.hpp"

#include "core/record/limits.hpp"
#include "core/slow/text.hpp"
#include "core/text/json_fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

namespace muster::slow {
namespace {

using std::chrono::nanoseconds;

constexpr std::size_t max_text = 256;

nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

double rounded(double value, double parts) {
  return std::round(value * parts) / parts;
}

double seconds(nanoseconds time) {
  return rounded(std::chrono::duration<double>(time).count(), 1e6);
}

nanoseconds time_in(const nlohmann::json& json, const char* name) {
  constexpr double most = 9e9;
  const auto value = text::decimal_in(json, name);
  return nanoseconds(std::llround(std::isfinite(value) ? std::clamp(value, 0.0, most) * 1e9 : 0));
}

std::string text_in(const nlohmann::json& json, const char* name) {
  return record::fitting(text::string_in(json, name), record::Line{max_text});
}

constexpr std::array<std::string_view, 3> directions{"both", "out", "in"};

nlohmann::ordered_json link_json(const NamedLink& link) {
  const auto direction = directions.at(static_cast<std::size_t>(link.direction));
  return {
      {"to", or_null(link.to)},
      {"direction", link.to.empty() ? nlohmann::ordered_json(direction) : nlohmann::ordered_json()},
      {"bytes_per_second", std::llround(link.speed)},
      {"others_bytes_per_second", std::llround(link.others)},
      {"busy_percent", rounded(link.busy_percent, 10)},
      {"repeated_percent", rounded(link.repeated_percent, 100)}};
}

NamedLink link_from(const nlohmann::json& json) {
  constexpr double most = 1e18;
  const auto speed_in = [&](const char* name) {
    const auto value = text::decimal_in(json, name);
    return std::isfinite(value) ? std::clamp(value, 0.0, most) : 0;
  };
  const auto* const direction = std::ranges::find(directions, text::string_in(json, "direction"));
  return {.to = text_in(json, "to"),
          .direction = direction == directions.end()
                           ? Direction::both
                           : static_cast<Direction>(direction - directions.begin()),
          .speed = speed_in("bytes_per_second"),
          .others = speed_in("others_bytes_per_second"),
          .busy_percent = text::decimal_in(json, "busy_percent"),
          .repeated_percent = text::decimal_in(json, "repeated_percent")};
}

}  // namespace

nlohmann::ordered_json to_json(const Named& named) {
  // A link has nothing to do with a collective.
  const auto of_rank = [&named](const auto& value) {
    return named.link ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
  };
  return {{"node", named.node},
          {"rank", named.rank ? nlohmann::ordered_json(*named.rank) : nlohmann::ordered_json()},
          {"operation", of_rank(named.operation)},
          {"group", or_null(named.group)},
          {"last_percent", of_rank(rounded(named.last_percent, 10))},
          {"delay_seconds", of_rank(seconds(named.delay))},
          {"period_seconds", of_rank(seconds(named.period))},
          {"time_percent", rounded(named.time_percent, 10)},
          {"lost_seconds", rounded(std::chrono::duration<double>(named.lost).count(), 10)},
          {"over", named.over},
          {"cause", or_null(named.cause)},
          {"link", named.link ? link_json(*named.link) : nlohmann::ordered_json()},
          {"text", line(named)}};
}

Named named_from(const nlohmann::json& json) {
  const auto link = json.is_object() ? json.find("link") : json.end();
  return {.node = text_in(json, "node"),
          .rank = text::number_in(json, "rank"),
          .operation = text_in(json, "operation"),
          .group = text_in(json, "group"),
          .last_percent = text::decimal_in(json, "last_percent"),
          .delay = time_in(json, "delay_seconds"),
          .period = time_in(json, "period_seconds"),
          .time_percent = text::decimal_in(json, "time_percent"),
          .lost = time_in(json, "lost_seconds"),
          .since = nanoseconds(0),
          .over = text::bool_in(json, "over"),
          .cause = text_in(json, "cause"),
          .link = link != json.end() && link->is_object() ? std::optional(link_from(*link))
                                                          : std::nullopt};
}

}  // namespace muster::slow
