// The first screen: did it end well, what failed first and where, how long did it take, and what to do
// next.
#include "core/page/advice.hpp"
#include "core/page/figures.hpp"
#include "core/page/markup.hpp"
#include "core/page/rank_states.hpp"
#include "core/page/sections.hpp"
#include "core/page/table.hpp"
#include "core/page/verdict.hpp"
#include "core/report/effective_time.hpp"
#include "core/report/exit_status.hpp"
#include "core/report/moments.hpp"
#include "core/report/screen.hpp"
#include "core/slow/text.hpp"
#include "core/text/amounts.hpp"
#include "core/text/list.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace muster::page {
namespace {

using report::Report;

// The program with as many of its arguments as fit in a title.
std::string program_of(const Run& run) {
  constexpr std::size_t max_columns = 120;
  const auto* const last = last_report(run);
  if (last == nullptr || last->report.program.empty()) return "A run";
  const auto& [program, command] = std::tie(last->report.program, last->report.command);
  return report::fit(command.empty() ? program : text::join(command, " "), max_columns);
}

// Turns "`code`" into <code>.
std::string with_code(std::string_view text) {
  std::string html;
  bool code = false;
  while (true) {
    const auto end = text.find('`');
    html += escaped(text.substr(0, end));
    if (end == std::string_view::npos) return html;
    html += code ? "</code>" : "<code>";
    code = !code;
    text.remove_prefix(end + 1);
  }
}

// A backquote in foreign text would open a <code> element that nothing closes.
std::string advice_html(const Run& run) {
  const auto text = advice(run);
  return std::ranges::count(text, '`') % 2 == 0 ? with_code(text) : escaped(text);
}

// Links the rank to its stack and the node to its ranks, if the page shows them.
std::string place_of(const Run& run, const Report& report) {
  const auto& [rank, local_rank, pid] = report.first->end.place;
  const auto& node = report.first->node;
  const auto nodes = ranks_by_node(run);
  const bool has_node = std::ranges::find(nodes, node, &NodeOfRanks::node) != nodes.end();
  const auto& attempts = report.attempts;
  const auto stack = attempts.empty() ? "" : fmt::format("#attempt-{}", attempts.back().number);
  const auto name =
      node.empty() ? "" : " on " + linked(has_node ? "#" + anchor_of(node) : "", escaped(node));
  return fmt::format("{}{}, local rank {}, pid {}", linked(stack, fmt::format("rank {}", rank)),
                     name, local_rank, pid);
}

std::string lost_text(const Report& report) {
  std::vector<std::string> names;
  for (const auto& node : report.lost_nodes) names.push_back(node.node);
  constexpr std::size_t max_columns = 200;
  return escaped(report::fit(node_list(names), max_columns));
}

std::string slow_terms(const Report& report) {
  std::string lines;
  for (const auto& named : report.slow) {
    const auto over = named.over ? " (until it caught up)" : "";
    lines += (lines.empty() ? "" : "<br/>") + escaped(slow::line(named)) + over;
  }
  return lines.empty() ? lines : term("Slow", lines);
}

// What failed first, and where.
std::string failure_terms(const Run& run, const Report& report) {
  std::string html;
  if (report.result == report::Result::ok) return html;
  if (report.first) {
    html += term("Where", place_of(run, report));
    html += term("When", moment_text(time_at(report, report.first->time),
                                     report::between(report.times.launched, report.first->time)));
  } else if (report.hang && !report.hang->node.empty()) {
    html += term("Where", escaped(report.hang->node));
  }
  if (!report.lost_nodes.empty()) html += term("Lost", lost_text(report));
  return html;
}

std::string how_long(const Report& report) {
  const auto time = report::effective_time(report);
  return fmt::format("{} in {}, {} <a href='#time'>{}</a><br/><span class='soft'>from {}</span>",
                     text::duration(time.wall), text::count(report.attempts.size(), "attempt"),
                     time.has_progress  ? "trained"
                     : time.has_startup ? "trained at most"
                                        : "all ranks ran",
                     share_text(cost::effective_share(time)),
                     date_text(time_at(report, report.attempts.front().times.launched)));
}

std::string size_of(const Run& run) {
  const auto nodes = ranks_by_node(run);
  std::size_t ranks = 0;
  bool known = true;
  for (const auto& node : nodes) {
    ranks += node.ranks.size();
    known = known && !node.node.empty();
  }
  if (ranks == 0) return {};
  const auto text = text::count(ranks, "rank");
  return known
             ? fmt::format("<a href='#nodes'>{} on {}</a>", text, text::count(nodes.size(), "node"))
             : fmt::format("<a href='#nodes'>{}</a>", text);
}

std::optional<WallTime> last_written(const AttemptFolder& folder) {
  std::optional<WallTime> last;
  for (const auto& [rank, files] : folder.files) {
    if (files.out) last = std::max(last, {files.out->written});
    if (files.err) last = std::max(last, {files.err->written});
  }
  return last;
}

std::string lead_of(const Run& run) {
  if (!is_open(run)) return escaped_sentence(run.folders.back().report->summary);
  const auto& folder = run.folders.back();
  if (folder.damaged) return escaped(folder.name) + " has a report.json that cannot be read.";
  const auto last = last_written(folder);
  return fmt::format(
      "{} has no report.json yet.{}", escaped(folder.name),
      last ? fmt::format(" A rank last wrote {} before this page was made.",
                         text::duration(std::max(run.made - *last, WallTime::duration(0))))
           : "");
}

std::string step_text(const Run& run) {
  const auto* const last = last_report(run);
  if (last == nullptr || last->report.attempts.empty()) return escaped(run.folders.back().name);
  const auto& report = last->report;
  const auto& step = report.attempts.back().step;
  if (step.empty()) return escaped(run.folders.back().name);
  if (report.without_slurm) return "muster run " + escaped(step.substr(0, step.find('.')));
  return "job " + escaped(step.substr(0, step.find('.')));
}

}  // namespace

std::string summary_of(const Run& run) {
  const auto verdict = verdict_of(run);
  const auto* const last = last_report(run);
  std::string terms;
  if (!is_open(run)) terms += failure_terms(run, last->report);
  if (last != nullptr) terms += slow_terms(last->report);
  if (last != nullptr && !last->report.attempts.empty()) {
    terms += term(is_open(run) ? "Earlier attempts took" : "Took", how_long(last->report));
  }
  if (const auto size = size_of(run); !size.empty()) terms += term("Size", size);
  terms += term("What to do", advice_html(run), "todo");
  return fmt::format(
      "<p class='eyebrow'>{}</p>\n<h1>{}</h1>\n"
      "<p class='verdict {}'><svg class='icon' width='28' height='28' aria-hidden='true'>"
      "<use href='#{}'/></svg>"
      "<strong>{}</strong></p>\n<p class='lead'>{}</p>\n<dl class='facts'>\n{}</dl>\n",
      step_text(run), escaped(program_of(run)), verdict.kind, verdict.icon, escaped(verdict.words),
      lead_of(run), terms);
}

}  // namespace muster::page
