#include "core/preflight/link.hpp"

#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"
#include "core/text/take.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace muster::preflight {
namespace {

constexpr double largest = 1e15;
constexpr std::size_t max_failure = 200;

std::optional<double> amount(std::string_view text) {
  double value = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool sane = error == std::errc{} && stop == end && std::isfinite(value) && value >= 0;
  return sane && value <= largest ? std::optional(value) : std::nullopt;
}

std::optional<Measure> measure_in(std::string_view& rest) {
  const auto latency = amount(text::take(rest));
  const auto mean = amount(text::take(rest));
  const auto retransmitted = text::number<std::uint32_t>(text::take(rest));
  const auto bandwidth = amount(text::take(rest));
  if (!latency || !mean || !retransmitted || !bandwidth) return std::nullopt;
  return Measure{*latency, *mean, *retransmitted, *bandwidth};
}

}  // namespace

Link tested(Link link, const TestReport& from, const TestReport& to) {
  if (from.measure && to.failure.empty()) {
    link.measure = from.measure;
  } else {
    link.why = from.failure.empty() ? to.failure : from.failure;
  }
  return link;
}

std::string shortened(std::string_view why) {
  auto line = text::printable_path(why);
  if (line.size() <= max_failure) return line;
  auto end = max_failure;
  while (end > 0 && !text::starts_character(line[end])) --end;
  return line.substr(0, end) + "...";
}

std::string to_text(const TestReport& report) {
  const auto begin = fmt::format("tested {} {}", report.test, report.work);
  if (report.measure) {
    const auto& [latency, mean, retransmitted, bandwidth] = *report.measure;
    return fmt::format("{} measured {} {} {} {}", begin, latency, mean, retransmitted, bandwidth);
  }
  if (report.failure.empty()) return begin + " well";
  return fmt::format("{} failed {}", begin, shortened(report.failure));
}

std::optional<TestReport> test_report(std::string_view text) {
  if (text.size() > max_report_bytes || text::take(text) != "tested") return std::nullopt;
  TestReport report;
  const auto test = text::number<std::uint32_t>(text::take(text));
  const auto work = amount(text::take(text));
  if (!test || !work) return std::nullopt;
  report.test = *test;
  report.work = *work;
  const auto how = text::take(text);
  if (how == "well" && text.empty()) return report;
  if (how == "failed" && !text.empty()) {
    report.failure = shortened(text);
    return report;
  }
  if (how != "measured") return std::nullopt;
  report.measure = measure_in(text);
  return report.measure && text.empty() ? std::optional(report) : std::nullopt;
}

}  // namespace muster::preflight
