#include "core/report/text.hpp"

#include "core/report/aftermath_text.hpp"
#include "core/report/attempts_text.hpp"
#include "core/report/first_failure_text.hpp"
#include "core/report/hints.hpp"
#include "core/report/moments.hpp"
#include "core/report/screen.hpp"
#include "core/report/summary.hpp"
#include "core/report/suspects_text.hpp"
#include "core/text/amounts.hpp"
#include "core/text/columns.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::report {
namespace {

constexpr std::size_t rule_width = 60;
constexpr std::size_t max_program = 40;

std::string_view verb(Result result) {
  switch (result) {
    case Result::ok:
      return "SUCCEEDED";
    case Result::cancelled:
      return "CANCELLED";
    case Result::timeout:
      return "TIMED OUT";
    case Result::preempted:
      return "PREEMPTED";
    default:
      return "FAILED";
  }
}

// python, python3, python3.11, with any path.
bool is_python(std::string_view path) {
  constexpr std::string_view python = "python";
  const auto name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  return name.starts_with(python) &&
         name.find_first_not_of("0123456789.", python.size()) == std::string_view::npos;
}

// What the user calls the program: the script or the module after an interpreter's options.
std::string_view name_of_program(const Report& report) {
  if (report.program.empty()) return "the program";
  if (!is_python(report.program)) return report.program;
  for (std::size_t i = 1; i < report.command.size(); ++i) {
    const std::string_view word = report.command[i];
    if (word == "-m" && i + 1 < report.command.size()) return report.command[i + 1];
    if (word == "-c" || word == "-") break;
    if (word == "-W" || word == "-X")
      ++i;  // skip its value
    else if (!word.starts_with('-'))
      return word;
  }
  return report.program;
}

std::string headline(const Report& report) {
  const AttemptSummary& attempt = report.attempts.back();
  return fit(
      fmt::format("{} {} ({}exit code {}{}{}{}, {} on {}, {})",
                  fit(name_of_program(report), max_program), verb(report.result),
                  report.group ? fmt::format("group {}, ", report.group->number) : "",
                  report.exit_code,
                  report.attempts.size() < 2 ? "" : fmt::format(", attempt {}", attempt.number),
                  attempt.step.empty() ? "" : ", step ", fit(attempt.step, 24),
                  text::count(attempt.ranks, "rank"), text::count(attempt.nodes.size(), "node"),
                  text::duration(attempt.duration)),
      max_report_columns);
}

void append(Lines& lines, Lines more) {
  std::ranges::move(more, std::back_inserter(lines));
}

void add_hint(Lines& lines, const std::string& hint) {
  if (!hint.empty()) lines.push_back(field("hint", hint));
}

// If no rank was first: an outside cause comes first, and a rank's failure long before it comes below.
Lines cause_lines(const Report& report, const TextStyle& style) {
  Lines lines;
  const bool of_a_rank = report.result == Result::failed && report.cause != Cause::hang;
  if (!report.first || !of_a_rank) lines.push_back(field("cause", summary(report)));
  const auto signal_hint = unhandled_signal_hint(report);
  if (!report.first) {
    add_hint(lines, signal_hint);
    return lines;
  }
  if (!report.certain) {
    lines.push_back(field("suspects", suspects_text(report)));
    add_hint(lines, suspects_hint(report, !style.logs.empty()));
  }
  if (!of_a_rank) lines.emplace_back("Long before that, a rank had failed without exiting:");
  append(lines, first_failure_lines(report, style));
  if (const auto missing = missing_at_store(report); !missing.empty())
    lines.push_back(field("rendezvous", missing));
  add_hint(lines, store_hint(report));
  add_hint(lines, signal_hint);
  return lines;
}

// "Root Cause" is torchrun's heading, and appropriate only if the cause is known.
std::string title(const Report& report) {
  if (!report.first || report.result != Result::failed || report.cause == Cause::hang) {
    return "Root Cause:";
  }
  return report.certain ? "Root Cause (first observed failure):"
                        : "First observed failure (the cause is not certain):";
}

}  // namespace

std::string to_text(const Report& report, const TextStyle& style) {
  const text::Paint paint(style.color);
  const std::string rule(rule_width, '=');
  const std::string thin_rule(rule_width, '-');
  const Lines cause = cause_lines(report, style);
  const std::size_t room = max_report_lines - 6 - cause.size();
  const Lines aftermath = aftermath_lines(report, style, room);
  Lines lines{rule, paint.red(headline(report)), thin_rule, paint.bold(title(report))};
  append(lines, cause);
  if (report.first) append(lines, evidence_lines(report.first->end, room - aftermath.size()));
  lines.push_back(thin_rule);
  append(lines, aftermath);
  if (report.attempts.size() > 1) {
    lines.push_back(thin_rule);
    append(lines, attempts_lines(report));
  }
  lines.push_back(rule);
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

}  // namespace muster::report
