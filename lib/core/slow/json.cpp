#include "core/slow/json.hpp"

#include "core/record/limits.hpp"
#include "core/slow/text.hpp"
#include "core/text/json_fields.hpp"

#include <algorithm>
#include <cmath>
#include <string>

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

}  // namespace

nlohmann::ordered_json to_json(const Named& named) {
  return {{"node", named.node},
          {"rank", named.rank ? nlohmann::ordered_json(*named.rank) : nlohmann::ordered_json()},
          {"operation", named.operation},
          {"group", or_null(named.group)},
          {"last_percent", rounded(named.last_percent, 10)},
          {"delay_seconds", seconds(named.delay)},
          {"period_seconds", seconds(named.period)},
          {"time_percent", rounded(named.time_percent, 10)},
          {"lost_seconds", rounded(std::chrono::duration<double>(named.lost).count(), 10)},
          {"over", named.over},
          {"cause", or_null(named.cause)},
          {"text", line(named)}};
}

Named named_from(const nlohmann::json& json) {
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
          .cause = text_in(json, "cause")};
}

}  // namespace muster::slow
