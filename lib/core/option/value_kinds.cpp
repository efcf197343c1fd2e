#include "core/option/value_kinds.hpp"

#include "core/text/duration.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <set>

#include <arpa/inet.h>
#include <fmt/format.h>

namespace muster::option {
namespace {

using namespace std::chrono_literals;
using std::chrono::seconds;

constexpr Limits ports{1024, 65535, "ports below 1024 are privileged"};
constexpr Limits node_counts{1, 1'000'000};
constexpr Limits group_counts{1, 10'000};
constexpr Limits rank_numbers{0, 1'000'000};
constexpr Limits counts{0, 1000};
constexpr Limits exit_codes{1, 255, "exit code 0 is success"};
constexpr TimeLimits graces{0s, 24h};
constexpr TimeLimits heartbeats{1s, 1h};
constexpr TimeLimits health_timeouts{1s, 5min};
constexpr TimeLimits preflights{1s, 5min};
constexpr std::string_view on_word = "on";
constexpr TimeLimits stops{1s, 24h};
constexpr TimeLimits hangs{5s, 30 * 24h, "a healthy program may show no progress for that long"};
constexpr Limits slow_percents{1, 90};
constexpr std::size_t max_glob_bytes = 64;
constexpr std::string_view and_replace = "+replace";
constexpr std::string_view and_restart = "+restart";

std::string range_text(const Limits& limits) {
  return fmt::format("{} to {}", limits.min, limits.max);
}

std::string range_text(const TimeLimits& limits) {
  return fmt::format("{} to {}", text::to_text(limits.min), text::to_text(limits.max));
}

std::uint16_t parse_one_port(const Given& given, std::string_view text) {
  return static_cast<std::uint16_t>(parse_number(given, text, ports));
}

void check_glob(const Given& given, std::string_view glob) {
  if (glob == given.key.none) {
    throw invalid(given, fmt::format("{} cannot be combined with names", glob),
                  fmt::format("use {}, or names without it", glob));
  }
  if (glob.size() > max_glob_bytes) {
    throw invalid(given, "no interface has a name this long",
                  fmt::format("use {} bytes at most", max_glob_bytes));
  }
  if (glob.find_first_of("/ ") != std::string_view::npos) {
    throw invalid(given, "no interface name has a '/' or a space",
                  "use names as `ip link` shows them, such as ib0 or eth*");
  }
}

}  // namespace

std::vector<std::string> ValueKind<std::vector<std::string>>::parse(const Given& given) {
  if (checked_text(given) == given.key.none) return {};
  std::vector<std::string> globs;
  for (const std::string_view glob : split_list(given)) {
    check_glob(given, glob);
    globs.emplace_back(glob);
  }
  return globs;
}

std::string ValueKind<std::vector<std::string>>::print(const std::vector<std::string>& value,
                                                       std::string_view none) {
  return value.empty() ? std::string(none) : text::join(value, "+");
}

std::string ValueKind<std::vector<std::string>>::range() {
  return {};
}

PortRange ValueKind<PortRange>::parse(const Given& given) {
  const std::string_view text = checked_text(given);
  const std::size_t dash = text.find('-');
  const std::uint16_t first = parse_one_port(given, text.substr(0, dash));
  if (dash == std::string_view::npos) return {first, first};
  const std::uint16_t last = parse_one_port(given, text.substr(dash + 1));
  if (first <= last) return {first, last};
  throw invalid(given, "empty range", fmt::format("use {}-{}", last, first));
}

std::string ValueKind<PortRange>::print(const PortRange& value, std::string_view /*none*/) {
  if (value.first == value.last) return fmt::to_string(value.first);
  return fmt::format("{}-{}", value.first, value.last);
}

std::string ValueKind<PortRange>::range() {
  return range_text(ports);
}

std::uint32_t ValueKind<std::uint32_t>::parse(const Given& given) {
  return parse_number(given, checked_text(given), counts);
}

std::string ValueKind<std::uint32_t>::print(std::uint32_t value, std::string_view /*none*/) {
  return fmt::to_string(value);
}

std::string ValueKind<std::uint32_t>::range() {
  return range_text(counts);
}

ExitCodes ValueKind<ExitCodes>::parse(const Given& given) {
  if (checked_text(given) == given.key.none) return {{}};
  std::set<std::uint32_t> codes;
  for (const std::string_view code : split_list(given)) {
    codes.insert(parse_number(given, code, exit_codes));
  }
  return {{codes.begin(), codes.end()}};
}

std::string ValueKind<ExitCodes>::print(const ExitCodes& value, std::string_view none) {
  return value.codes.empty() ? std::string(none) : text::join(value.codes, "+");
}

std::string ValueKind<ExitCodes>::range() {
  return fmt::format("{} each", range_text(exit_codes));
}

NodeRange ValueKind<NodeRange>::parse(const Given& given) {
  const std::string_view text = checked_text(given);
  const std::size_t colon = text.find(':');
  NodeRange range{parse_number(given, text.substr(0, colon), node_counts), std::nullopt};
  if (colon == std::string_view::npos) return range;
  range.max = parse_number(given, text.substr(colon + 1), node_counts);
  if (range.min <= *range.max) return range;
  throw invalid(given, "empty range", fmt::format("use {}:{}", *range.max, range.min));
}

std::string ValueKind<NodeRange>::print(const NodeRange& value, std::string_view /*none*/) {
  if (!value.max) return fmt::to_string(value.min);
  return fmt::format("{}:{}", value.min, *value.max);
}

std::string ValueKind<NodeRange>::range() {
  return range_text(node_counts);
}

GroupRange ValueKind<GroupRange>::parse(const Given& given) {
  const std::string_view text = checked_text(given);
  const std::size_t colon = text.find(':');
  GroupRange range{};
  range.min = parse_number(given, text.substr(0, colon), group_counts);
  range.max = colon == std::string_view::npos
                  ? range.min
                  : parse_number(given, text.substr(colon + 1), group_counts);
  if (range.min <= range.max) return range;
  throw invalid(given, "empty range", fmt::format("use {}:{}", range.max, range.min));
}

std::string ValueKind<GroupRange>::print(const GroupRange& value, std::string_view /*none*/) {
  if (value.min == value.max) return fmt::to_string(value.max);
  return fmt::format("{}:{}", value.min, value.max);
}

std::string ValueKind<GroupRange>::range() {
  return range_text(group_counts);
}

std::string ValueKind<std::string>::parse(const Given& given) {
  return std::string(checked_text(given));
}

std::string ValueKind<std::string>::print(const std::string& value, std::string_view /*none*/) {
  return value;
}

std::string ValueKind<std::string>::range() {
  return {};
}

namespace {

// Takes ":out" or ":err" from the end.
Streams take_streams(std::string_view& text) {
  for (const auto& word : words_of<Streams>) {
    const auto end = fmt::format(":{}", word.text);
    if (!text.ends_with(end)) continue;
    text.remove_suffix(end.size());
    return word.value;
  }
  return Streams::both;
}

std::string streams_text(Streams streams) {
  return streams == Streams::both ? std::string() : fmt::format(":{}", word_for(streams));
}

}  // namespace

View ValueKind<View>::parse(const Given& given) {
  for (const auto& word : words_of<View::Show>) {
    if (checked_text(given) == word.text) return {.show = word.value};
  }
  auto text = checked_text(given);
  const auto streams = take_streams(text);
  if (text == word_for(View::Show::all)) return {.show = View::Show::all, .streams = streams};
  View view{.show = View::Show::ranks};
  for (std::string_view rank : split_list(given)) {
    const auto of_rank = take_streams(rank);
    view.ranks.push_back({parse_number(given, rank, rank_numbers), of_rank});
  }
  return view;
}

std::string ValueKind<View>::print(const View& value, std::string_view /*none*/) {
  if (value.show == View::Show::all) return "all" + streams_text(value.streams);
  if (value.show != View::Show::ranks) return std::string(word_for(value.show));
  std::vector<std::string> ranks;
  for (const auto& [rank, streams] : value.ranks) {
    ranks.push_back(fmt::to_string(rank) + streams_text(streams));
  }
  return text::join(ranks, "+");
}

std::string ValueKind<View>::range() {
  return {};
}

seconds ValueKind<seconds>::parse(const Given& given) {
  return parse_time(given, checked_text(given), graces);
}

std::string ValueKind<seconds>::print(seconds value, std::string_view /*none*/) {
  return text::to_text(value, unit_of<seconds>);
}

std::string ValueKind<seconds>::range() {
  return range_text(graces);
}

Stop ValueKind<Stop>::parse(const Given& given) {
  return {parse_time(given, checked_text(given), stops)};
}

std::string ValueKind<Stop>::print(Stop value, std::string_view /*none*/) {
  return text::to_text(value.before, unit_of<Stop>);
}

std::string ValueKind<Stop>::range() {
  return range_text(stops);
}

Heartbeat ValueKind<Heartbeat>::parse(const Given& given) {
  return {parse_time(given, checked_text(given), heartbeats)};
}

std::string ValueKind<Heartbeat>::print(Heartbeat value, std::string_view /*none*/) {
  return text::to_text(value.limit, unit_of<Heartbeat>);
}

std::string ValueKind<Heartbeat>::range() {
  return range_text(heartbeats);
}

HealthTimeout ValueKind<HealthTimeout>::parse(const Given& given) {
  return {parse_time(given, checked_text(given), health_timeouts)};
}

std::string ValueKind<HealthTimeout>::print(HealthTimeout value, std::string_view /*none*/) {
  return text::to_text(value.limit, unit_of<HealthTimeout>);
}

std::string ValueKind<HealthTimeout>::range() {
  return range_text(health_timeouts);
}

Preflight ValueKind<Preflight>::parse(const Given& given) {
  const auto text = checked_text(given);
  if (text == on_word) return {};
  return {parse_time(given, text, preflights)};
}

std::string ValueKind<Preflight>::print(const Preflight& value, std::string_view /*none*/) {
  if (value == Preflight()) return std::string(on_word);
  return text::to_text(value.limit, unit_of<Preflight>);
}

std::string ValueKind<Preflight>::range() {
  return range_text(preflights);
}

Slow ValueKind<Slow>::parse(const Given& given) {
  std::string_view text = checked_text(given);
  Slow value{.replace = text.ends_with(and_replace)};
  if (value.replace) text.remove_suffix(and_replace.size());
  if (text == on_word) return value;
  value.percent = parse_number(given, text, slow_percents);
  return value;
}

std::string ValueKind<Slow>::print(const Slow& value, std::string_view /*none*/) {
  const bool is_default = value.percent == Slow().percent;
  return fmt::format("{}{}", is_default ? std::string(on_word) : fmt::to_string(value.percent),
                     value.replace ? and_replace : "");
}

std::string ValueKind<Slow>::range() {
  return range_text(slow_percents);
}

namespace {

bool is_address(const std::string& text) {
  in6_addr found{};
  return inet_pton(AF_INET, text.c_str(), &found) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &found) == 1;
}

}  // namespace

// ":9400", "10.0.0.1:9400", "[::]:9400"; anything else is a file.
Metrics ValueKind<Metrics>::parse(const Given& given) {
  const auto text = checked_text(given);
  const auto colon = text.rfind(':');
  const auto is_port = colon != std::string_view::npos && colon + 1 < text.size() &&
                       text.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  if (!is_port || text.find('/') != std::string_view::npos) return {.file = std::string(text)};
  Metrics metrics;
  metrics.port = static_cast<std::uint16_t>(parse_number(given, text.substr(colon + 1), ports));
  auto address = text.substr(0, colon);
  if (address.empty()) return metrics;
  if (address.starts_with('[') && address.ends_with(']'))
    address = address.substr(1, address.size() - 2);
  metrics.address = address;
  if (is_address(metrics.address)) return metrics;
  throw invalid(given, fmt::format("{} is not an IP address", text::in_quotes(address)),
                "use :PORT, ADDRESS:PORT, or a file name that contains a slash");
}

std::string ValueKind<Metrics>::print(const Metrics& value, std::string_view /*none*/) {
  if (!value.file.empty()) return value.file;
  if (value.address == Metrics().address) return fmt::format(":{}", value.port);
  const bool is_v6 = value.address.find(':') != std::string::npos;
  return is_v6 ? fmt::format("[{}]:{}", value.address, value.port)
               : fmt::format("{}:{}", value.address, value.port);
}

std::string ValueKind<Metrics>::range() {
  return {};
}

// "10" (minutes) or "90s".
Hang ValueKind<Hang>::parse(const Given& given) {
  std::string_view text = checked_text(given);
  const bool restart = text.ends_with(and_restart);
  if (restart) text.remove_suffix(and_restart.size());
  return {parse_time(given, text, hangs), restart};
}

std::string ValueKind<Hang>::print(const Hang& value, std::string_view /*none*/) {
  return fmt::format("{}{}", text::to_text(value.limit, unit_of<Hang>),
                     value.restart ? and_restart : "");
}

std::string ValueKind<Hang>::range() {
  return range_text(hangs);
}

}  // namespace muster::option
