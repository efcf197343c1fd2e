#include "core/report/attempts_text.hpp"

#include "core/cost/text.hpp"
#include "core/report/effective_time.hpp"
#include "core/report/summary.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace muster::report {
namespace {

constexpr std::size_t max_first = 3;
constexpr std::size_t max_last = 5;

std::string line_of(const AttemptSummary& attempt) {
  const auto name = fmt::format("attempt {}", attempt.number);
  const auto text = attempt_summary(attempt);
  return field(name, text.substr(name.size() + 1));
}

// On two lines if they do not fit on one.
Lines effective_lines(const Report& report) {
  constexpr std::size_t room = max_report_columns - 14;
  const auto text = cost::to_text(effective_time(report));
  if (text.size() <= room) return {field("effective", text)};
  const auto parts = text.find("; ");
  return {field("effective", text.substr(0, parts)), field("", text.substr(parts + 2))};
}

}  // namespace

Lines attempts_lines(const Report& report) {
  const auto& attempts = report.attempts;
  if (attempts.size() < 2) return {};
  Lines lines;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const bool is_shown = i < max_first || i + max_last >= attempts.size();
    if (is_shown) lines.push_back(line_of(attempts[i]));
    if (!is_shown && i == max_first) {
      lines.push_back(field("", fmt::format("{} more", attempts.size() - max_first - max_last)));
    }
  }
  std::ranges::move(effective_lines(report), std::back_inserter(lines));
  return lines;
}

}  // namespace muster::report
