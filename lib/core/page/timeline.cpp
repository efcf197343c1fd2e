// Shows the attempts on one timeline: how long each one spent starting, running and ending.
#include "core/page/figures.hpp"
#include "core/page/markup.hpp"
#include "core/page/sections.hpp"
#include "core/page/table.hpp"
#include "core/page/verdict.hpp"
#include "core/report/effective_time.hpp"
#include "core/report/moments.hpp"
#include "core/report/screen.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::page {
namespace {

using std::chrono::nanoseconds;

// The most rows shown at either end if there are very many attempts.
constexpr std::size_t max_first = 10;
constexpr std::size_t max_last = 90;

// An attempt, counted from the first launch.
struct Row {
  std::uint32_t number = 0;
  std::string step;
  nanoseconds begin{0};
  nanoseconds end{0};
  const report::AttemptSummary* attempt = nullptr;  // nullptr if the attempt is still in progress
};

// The row of an attempt without a report.
std::optional<Row> open_row(const Run& run, const std::vector<Row>& rows, WallTime start) {
  const auto& folder = run.folders.back();
  if (folder.report || !folder.begun) return std::nullopt;
  auto last = *folder.begun;
  for (const auto& [rank, files] : folder.files) {
    if (files.out) last = std::max(last, files.out->written);
    if (files.err) last = std::max(last, files.err->written);
  }
  const auto number = rows.empty() ? 0 : rows.back().number + 1;
  return Row{number, {}, *folder.begun - start, last - start, nullptr};
}

std::vector<Row> rows_of(const Run& run) {
  std::vector<Row> rows;
  const auto* const last = last_report(run);
  auto start = run.folders.back().begun.value_or(WallTime());
  if (last != nullptr) {
    start = last->report.wall_start;
    for (const auto& each : last->report.attempts) {
      const auto begin = each.times.launched.time;
      rows.push_back({each.number, each.step, begin, std::max(begin, each.times.over.time), &each});
    }
  }
  if (auto open = open_row(run, rows, start)) rows.push_back(*std::move(open));
  return rows;
}

struct Span {
  std::string_view kind;
  std::string_view name;
  nanoseconds time;
};

std::array<Span, 7> spans_of(const report::AttemptSummary& attempt) {
  const auto time = report::effective_time({&attempt, 1});
  return {Span{"start", "start", time.start},
          Span{"startup", "program start", time.startup},
          Span{"ran", time.has_progress ? "training" : "all ranks ran", cost::effective(time)},
          Span{"lost", "lost work", time.lost_work},
          Span{"detection", "detection", time.detection},
          Span{"hang", "hang", time.hang},
          Span{"stop", "stop", time.stop}};
}

std::string bar_of(const Row& row, nanoseconds length) {
  if (row.attempt == nullptr) {
    const std::array open{
        Part{share_of(row.begin, length), share_of(row.end, length), "open", "end unknown"}};
    return bar(open, fmt::format("began {} after the first launch; end unknown",
                                 text::duration(row.begin)));
  }
  std::vector<Part> parts;
  std::string label;
  auto at = row.begin;
  for (const auto& [kind, name, time] : spans_of(*row.attempt)) {
    if (time.count() <= 0) continue;
    parts.push_back({share_of(at, length), share_of(at + time, length), kind,
                     fmt::format("{}: {}", name, text::duration(time))});
    label += fmt::format("{}{} {}", label.empty() ? "" : ", ", name, text::duration(time));
    at += time;
  }
  return bar(parts, label);
}

std::string what_happened(const Row& row) {
  if (row.attempt == nullptr) return "no report says how it ended";
  const auto& attempt = *row.attempt;
  return fmt::format("<b class='{}'>{}</b> after {}{}",
                     attempt.result == report::Result::ok ? "good" : "bad",
                     words_for(attempt.result), text::duration(attempt.duration),
                     attempt.reason.empty() ? "" : ": " + escaped_sentence(attempt.reason));
}

bool has_details(const Run& run, const Row& row) {
  return std::ranges::any_of(run.folders, [&](const AttemptFolder& folder) {
    return folder.report && folder.report->report.result != report::Result::ok &&
           !folder.report->report.attempts.empty() &&
           folder.report->report.attempts.back().number == row.number;
  });
}

std::string item(const Run& run, const Row& row, nanoseconds length) {
  const auto name = fmt::format("Attempt {}", row.number);
  return fmt::format(
      "<li><div class='who'>{}{}</div>\n{}<p>{}</p></li>\n",
      linked(has_details(run, row) ? fmt::format("#attempt-{}", row.number) : "", name),
      row.step.empty() ? "" : fmt::format(" <span class='soft'>step {}</span>", escaped(row.step)),
      bar_of(row, length), what_happened(row));
}

std::string seconds_after(const report::Times& times, const std::optional<report::Moment>& moment) {
  return moment ? text::duration(report::between(times.launched, *moment)) : "";
}

std::string table_of(const std::vector<Row>& rows, const report::Report& report) {
  Table table("Attempts; times count from each launch", {{"Attempt", true},
                                                         {"Step"},
                                                         {"Launch (UTC)"},
                                                         {"First rank up", true},
                                                         {"All nodes up", true},
                                                         {"Failure", true},
                                                         {"Over", true},
                                                         {"Ranks", true},
                                                         {"Nodes"}});
  for (const auto& row : rows) {
    if (row.attempt == nullptr) continue;
    const auto& attempt = *row.attempt;
    const auto& times = attempt.times;
    table.add({fmt::to_string(row.number), escaped(row.step),
               date_text(time_at(report, attempt.times.launched)),
               seconds_after(times, times.first_start), seconds_after(times, times.all_started),
               seconds_after(times, times.failure), seconds_after(times, times.over),
               fmt::to_string(attempt.ranks), escaped(node_list(attempt.nodes))});
  }
  if (table.empty()) return {};
  return fmt::format("<details><summary>The same in figures</summary>\n{}</details>\n",
                     table.html());
}

constexpr std::string_view attempts_legend =
    "<ul class='legend'><li><i class='start'></i>start: until all ranks run</li>"
    "<li><i class='ran'></i>all ranks ran</li>"
    "<li><i class='detection'></i>detection: until muster began to stop the other ranks</li>"
    "<li><i class='stop'></i>stop: until everything had ended</li></ul>\n";

}  // namespace

std::string attempts_of(const Run& run) {
  const auto rows = rows_of(run);
  if (rows.empty()) return {};
  nanoseconds length{1};
  for (const auto& row : rows) length = std::max(length, row.end);
  std::string items;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == max_first && rows.size() > max_first + max_last) {
      const auto hidden = rows.size() - max_first - max_last;
      items += fmt::format("<li class='soft'>{} more</li>\n", text::count(hidden, "attempt"));
      i += hidden;
    }
    items += item(run, rows[i], length);
  }
  const auto* const last = last_report(run);
  return fmt::format("{}<ol class='timeline'>\n{}</ol>\n{}{}", attempts_legend, items, axis(length),
                     last == nullptr ? "" : table_of(rows, last->report));
}

}  // namespace muster::page
