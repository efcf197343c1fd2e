#include "core/groups/report.hpp"

#include "core/error.hpp"
#include "core/report/read_json.hpp"
#include "core/report/text.hpp"
#include "core/text/amounts.hpp"
#include "core/text/json.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::groups {
namespace {

using Json = nlohmann::json;

Json parsed(const std::string& report) {
  try {
    return text::parse_json(report);
  } catch (const Json::exception&) {
    return nullptr;  // its supervisor was killed
  }
}

std::optional<report::ReadReport> last_report(const Left& group) {
  if (group.reports.empty()) return std::nullopt;
  try {
    return report::read_json(group.reports.back());
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::size_t attempts_of(const Left& group) {
  std::size_t attempts = 0;
  for (const auto& text : group.reports) {
    try {
      attempts += report::read_json(text).report.attempts.size();
    } catch (const Error&) {
      continue;
    }
  }
  return std::max<std::size_t>(attempts, 1);
}

std::string_view word(State state) {
  switch (state) {
    case State::done:
      return "done";
    case State::waiting:
      return "dropped out: too few nodes left";
    case State::failed:
      return "failed";
    case State::stopped:
      return "stopped";
    default:
      return "running";
  }
}

std::string line(std::size_t number, const Left& group) {
  auto text = fmt::format("group {}: {}", number, word(group.group.state));
  if (group.group.state == State::failed) text += fmt::format(" (exit code {})", group.group.code);
  if (const auto attempts = attempts_of(group); attempts > 1)
    text += fmt::format(" after {}", text::count(attempts, "attempt"));
  const auto last = last_report(group);
  const bool has_reason = group.group.state == State::failed || group.group.state == State::waiting;
  if (has_reason && last && !last->summary.empty()) text += ": " + last->summary;
  return text;
}

std::string_view result(State state) {
  if (state == State::done) return "ok";
  return state == State::stopped ? "cancelled" : "failed";
}

Json group_json(std::size_t number, const Left& group) {
  auto reports = Json::array();
  for (const auto& text : group.reports) {
    if (auto json = parsed(text); json.is_object()) reports.push_back(std::move(json));
  }
  const auto last = last_report(group);
  return {{"group", number},
          {"result", result(group.group.state)},
          {"exit_code", group.group.code},
          {"attempts", attempts_of(group)},
          {"summary", last ? Json(last->summary) : Json()},
          {"reports", std::move(reports)}};
}

}  // namespace

std::optional<std::size_t> group_to_show(std::span<const Left> groups,
                                         std::optional<std::uint32_t> first_failed) {
  if (first_failed && *first_failed < groups.size() && last_report(groups[*first_failed]))
    return *first_failed;
  const auto found = std::ranges::find_if(
      groups, [](const Left& group) { return last_report(group).has_value(); });
  if (found == groups.end()) return std::nullopt;
  return static_cast<std::size_t>(found - groups.begin());
}

std::vector<std::string> summary_lines(std::span<const Left> groups) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < groups.size(); ++i) lines.push_back(line(i, groups[i]));
  return lines;
}

std::string to_text(const Left& group, const report::TextStyle& style) {
  const auto last = last_report(group);
  return last ? report::to_text(last->report, style) : std::string();
}

std::string to_json(std::span<const Left> groups, std::optional<std::uint32_t> first_failed,
                    int exit_code) {
  const auto shown = group_to_show(groups, first_failed);
  auto json = shown ? parsed(groups[*shown].reports.back()) : Json::object();
  json["version"] = 1;
  if (exit_code == 0) {
    json["result"] = "ok";
    json["cause"] = nullptr;
  }
  json["exit_code"] = exit_code;
  auto list = Json::array();
  for (std::size_t i = 0; i < groups.size(); ++i) list.push_back(group_json(i, groups[i]));
  json["groups"] = std::move(list);
  return text::readable_text(json);
}

}  // namespace muster::groups
