// Why attempts ended: the first failure with its stack, and what followed from it.
#include "core/page/figures.hpp"
#include "core/page/markup.hpp"
#include "core/page/sections.hpp"
#include "core/page/table.hpp"
#include "core/page/verdict.hpp"
#include "core/report/aftermath_text.hpp"
#include "core/report/exit_status.hpp"
#include "core/report/moments.hpp"
#include "core/report/screen.hpp"
#include "core/report/suspects_text.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::page {
namespace {

using report::FailedRank;
using report::Report;

constexpr std::size_t max_attempts_with_stacks = 50;
constexpr std::size_t max_others = 200;
constexpr std::size_t max_title_columns = 160;

std::string file_link(const AttemptFolder& folder, const std::string& file) {
  const auto url = folder.link.empty() ? std::string() : folder.link + url_part(file);
  return linked(url, fmt::format("<code>{}</code>", escaped(file)));
}

std::string first_line(const std::string& text) {
  const auto lines = report::lines_of(text);
  return lines.empty() ? std::string() : escaped(report::fit(lines.front(), max_title_columns));
}

std::string title_of(const Report& report) {
  if (report.first && !report.certain)
    return fmt::format("rank {} may have failed first", report.first->end.place.rank);
  if (report.first) return fmt::format("rank {} failed first", report.first->end.place.rank);
  std::vector<std::string> lost;
  for (const auto& node : report.lost_nodes) lost.push_back(node.node);
  if (!lost.empty()) {
    return escaped(report::fit(node_list(lost), max_title_columns)) +
           (lost.size() == 1 ? " was lost" : " were lost");
  }
  return std::string(words_for(report.result));
}

std::string when(const Report& report, const report::Moment& time) {
  constexpr std::chrono::milliseconds worth_saying{1};
  auto text = moment_text(time_at(report, time), report::between(report.times.launched, time));
  if (time.error >= worth_saying) text += fmt::format(", \u00b1 {}", text::duration(time.error));
  return text;
}

std::string end_of(const FailedRank& rank) {
  auto text = escaped(report::in_words(rank.end.wait_status));
  if (rank.end.out_of_memory) text += ", out of memory";
  if (rank.end.ended_by_muster) text += ", stopped by muster after its exception";
  if (rank.lost_peer) text += ", reports that a peer is gone";
  return text;
}

std::string terms_of(const Report& report) {
  std::string terms;
  if (report.first) {
    const auto& first = *report.first;
    const auto& [rank, local_rank, pid] = first.end.place;
    terms += term("Rank", fmt::format("{}, local rank {}, pid {}", rank, local_rank, pid));
    terms += term("Node", escaped(first.node));
    terms += term("Time", when(report, first.time));
    terms += term("End", end_of(first));
    if (!report.certain) terms += term("Suspects", escaped(report::suspects_text(report)));
  }
  if (report.hang) {
    terms += term("Hang", escaped(report.hang->found));
    if (!report.hang->dump.empty())
      terms += term("Stacks of all ranks", escaped(report.hang->dump));
  }
  if (!report::is_usual(report.slurm)) {
    terms +=
        term("Slurm",
             escaped(report.slurm.job_state) +
                 (report.slurm.reason.empty() ? "" : ", reason " + escaped(report.slurm.reason)));
  }
  for (const auto& signal : report.signals) {
    terms += term("Signal to muster", fmt::format("{}, {}", report::signal_name(signal.number),
                                                  when(report, signal.time)));
  }
  return terms.empty() ? terms : fmt::format("<dl class='facts'>\n{}</dl>\n", terms);
}

std::string block(std::string_view title, const std::string& text, bool open) {
  if (text.empty()) return {};
  return fmt::format("<details{}><summary>{}</summary><pre tabindex='0'>{}</pre></details>\n",
                     open ? " open='open'" : "", title, text);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + '\n';
  return text;
}

// Python ends a traceback with the message; the stack at a fatal signal has none.
std::string traceback_of(const report::RankEnd& end) {
  const auto message = report::exception_of(end);
  auto text = end.exception->traceback;
  if (text.empty()) return message;
  if (!report::end_signal(end.wait_status)) return text;
  if (!text.ends_with('\n')) text += '\n';
  return text + message;
}

// The exception, if there is one, and in any case the last lines of the rank's files.
std::string stack_of(const AttemptFolder& folder, const FailedRank& rank) {
  const auto& end = rank.end;
  std::string html;
  if (end.exception) html += block("Traceback", escaped_block(traceback_of(end)), true);
  // The stack at a fatal signal says where, and only the last lines may say why.
  const bool has_reason = end.exception && !report::end_signal(end.wait_status);
  bool has_tail = false;
  for (const auto& [of, file, text] : folder.tails) {
    if (of != end.place.rank) continue;
    const bool is_evidence = !has_reason && file.ends_with(".err");
    html += block("Last lines of " + file_link(folder, file), escaped_block(text), is_evidence);
    has_tail = has_tail || file.ends_with(".err");
  }
  if (has_tail || end.last_lines.empty()) return html;
  return html + block("Last lines of " + escaped(end.last_lines_file),
                      escaped_block(joined(end.last_lines)), !has_reason);
}

std::string others_of(const std::string& caption, const std::vector<FailedRank>& ranks) {
  Table table(caption, {{"Rank", true}, {"Node"}, {"End"}, {"Reason"}});
  for (const auto& rank : ranks) {
    if (&rank - ranks.data() >= static_cast<std::ptrdiff_t>(max_others)) break;
    table.add({fmt::to_string(rank.end.place.rank), escaped(rank.node), end_of(rank),
               first_line(report::reason_of(rank.end))});
  }
  return table.empty() ? std::string() : table.html();
}

std::string_view victim_words(report::VictimKind kind) {
  using report::VictimKind;
  switch (kind) {
    case VictimKind::ended_by_muster:
      return "stopped by muster, because another rank had failed";
    case VictimKind::lost_peer:
      return "lost a peer";
    case VictimKind::same_failure:
      return "failed the same way, later";
    case VictimKind::killed:
      return "killed externally";
    default:
      return "failed later";
  }
}

std::string victims_of(const Report& report) {
  Table table("What happened to the other ranks",
              {{"How they ended"}, {"How many", true}, {"Ranks"}});
  for (const auto& [kind, ranks] : report.victims) {
    if (ranks.empty()) continue;
    table.add(
        {std::string(victim_words(kind)), fmt::to_string(ranks.size()), text::ranges(ranks, ", ")});
  }
  return table.empty() ? std::string() : table.html();
}

std::string lost_nodes_of(const Report& report) {
  Table table("Lost nodes", {{"Node"}, {"State"}, {"Last heard"}, {"Ranks", true}});
  for (const auto& [node, state, tasks, last_word] : report.lost_nodes) {
    table.add({escaped(node),
               state == report::NodeState::lost ? "no heartbeat" : "muster's agent is gone",
               last_word ? when(report, *last_word) : "never", fmt::to_string(tasks)});
  }
  return table.empty() ? std::string() : table.html();
}

std::string details_of(const AttemptFolder& folder, const Report& report) {
  std::string html = terms_of(report);
  if (report.first) html += stack_of(folder, *report.first);
  for (const auto& rank : report.others) {
    std::string stack = stack_of(folder, rank);
    if (!stack.empty()) {
      html += fmt::format("<h4>Rank {}, at the same time</h4>\n{}", rank.end.place.rank, stack);
    }
  }
  return html + lost_nodes_of(report) +
         others_of("Failed at the same time, as far as the clocks can tell", report.others) +
         others_of("Left early, with exit code 0", report.left_early) + victims_of(report);
}

std::string failure_of(const AttemptFolder& folder) {
  const auto& report = folder.report->report;
  const auto& attempt = report.attempts.back();
  return fmt::format(
      "<article id='attempt-{}'><h3>Attempt {}: {}</h3>\n<p class='reason'>{}</p>\n{}</article>\n",
      attempt.number, attempt.number, title_of(report), escaped_sentence(attempt.reason),
      details_of(folder, report));
}

}  // namespace

std::string failures_of(const Run& run) {
  std::string html;
  std::size_t shown = 0;
  for (auto folder = run.folders.rbegin(); folder != run.folders.rend(); ++folder) {
    const bool failed = folder->report && folder->report->report.result != report::Result::ok &&
                        !folder->report->report.attempts.empty();
    if (!failed) continue;
    if (shown++ == max_attempts_with_stacks) {
      return html +
             "<p class='soft'>For the failures of earlier attempts, see the attempts' "
             "folders.</p>\n";
    }
    html += failure_of(*folder);
  }
  return html;
}

}  // namespace muster::page
