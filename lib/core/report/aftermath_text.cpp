#include "core/report/aftermath_text.hpp"

#include "core/contains.hpp"
#include "core/report/exit_status.hpp"
#include "core/report/moments.hpp"
#include "core/report/screen.hpp"
#include "core/report/summary.hpp"
#include "core/slow/text.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::report {
namespace {

constexpr std::size_t max_others = 2;
constexpr std::size_t max_lost_nodes = 2;
constexpr std::size_t max_victim_lines = 2;
constexpr std::size_t max_name = 40;
constexpr std::size_t max_ranks = 24;

std::string place_text(const FailedRank& rank) {
  return fmt::format("rank {}{}", rank.end.place.rank,
                     rank.node.empty() ? "" : fmt::format(" on {}", fit(rank.node, max_name)));
}

std::string first_reason_line(const RankEnd& end) {
  const auto reason = reason_of(end);
  return reason.substr(0, reason.find('\n'));
}

std::string_view words(VictimKind kind) {
  switch (kind) {
    case VictimKind::ended_by_muster:
      return "stopped by muster";
    case VictimKind::lost_peer:
      return "lost a peer";
    case VictimKind::same_failure:
      return "failed the same way";
    case VictimKind::killed:
      return "killed externally";
    default:
      return "failed later";
  }
}

void add_others(Lines& lines, const Report& report) {
  const auto& others = report.others;
  const auto shown = others.size() > max_others ? max_others - 1 : others.size();
  for (std::size_t i = 0; i < shown; ++i) {
    const auto later = between(report.first->time, others[i].time);
    lines.push_back(field("same time",
                          fmt::format("{} ({:+.1f} ms): {}", place_text(others[i]),
                                      seconds_of(later) * 1000, first_reason_line(others[i].end))));
  }
  if (shown < others.size()) {
    lines.push_back(field("same time", text::count(others.size() - shown, "more rank")));
  }
}

void add_left_early(Lines& lines, const Report& report) {
  if (report.left_early.empty() || !report.first) return;
  const auto& rank = report.left_early.front();
  const auto more = report.left_early.size() - 1;
  const auto before = between(rank.time, report.first->time);
  lines.push_back(
      field("left early",
            fmt::format("{}{}, with exit code 0, {}", place_text(rank),
                        more == 0 ? "" : fmt::format(" and {}", text::count(more, "more rank")),
                        before.count() <= 0 ? "just then" : text::duration(before) + " before")));
}

void add_victims(Lines& lines, const Report& report) {
  Lines rows(1);
  for (const auto& [kind, ranks] : report.victims) {
    const auto item =
        fmt::format("{} {} ({})", ranks.size(), words(kind), text::ranges_within(ranks, max_ranks));
    const bool fits = rows.back().size() + item.size() + 16 < max_report_columns;
    if (!fits && rows.size() < max_victim_lines) rows.emplace_back();
    rows.back() += rows.back().empty() ? item : ", " + item;
  }
  for (const auto& row : rows) {
    if (!row.empty()) lines.push_back(field(report.certain ? "victims" : "others", row));
  }
}

void add_lost_nodes(Lines& lines, const Report& report, const TextStyle& style) {
  const auto& nodes = report.lost_nodes;
  const auto shown = nodes.size() > max_lost_nodes ? max_lost_nodes - 1 : nodes.size();
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& node = nodes[i];
    const auto heard =
        node.last_word
            ? "last heard " + local_text(report.wall_start, *node.last_word, style.utc_offset)
            : "never heard from";
    lines.push_back(field(node.state == NodeState::lost ? "lost node" : "agent gone",
                          fmt::format("{} ({}), {}", fit(node.node, max_name),
                                      text::count(node.tasks, "rank"), heard)));
  }
  if (shown < nodes.size()) {
    lines.push_back(field("lost nodes", fmt::format("{} more", nodes.size() - shown)));
  }
}

void add_hang(Lines& lines, const Report& report) {
  // Without a first rank, the cause says it.
  const auto text = standstill_text(report);
  if (report.first && !text.empty()) lines.push_back(field("hang", text));
  if (report.hang && !report.hang->dump.empty()) lines.push_back(field("dump", report.hang->dump));
}

// The most expensive one is the first that was named, as a rule; the JSON has all.
void add_slow(Lines& lines, const Report& report) {
  if (!report.slow.empty()) lines.push_back(field("slow", slow::line(report.slow.front())));
}

void add_node_words(Lines& lines, const Report& report) {
  for (const auto& node : report.nodes) {
    if (node.stuck_ranks.empty()) continue;
    auto ranks = node.stuck_ranks;
    std::ranges::sort(ranks);
    lines.push_back(field(
        "stuck", fmt::format("on {}: {} {}, in uninterruptible sleep, where SIGKILL has no effect",
                             fit(node.name, max_name), text::plural(ranks.size(), "rank"),
                             text::ranges_within(ranks, max_ranks))));
    break;
  }
  const auto spoken = std::ranges::find_if(
      report.nodes, [](const NodeRecord& node) { return !node.remark.empty(); });
  if (spoken == report.nodes.end()) return;
  lines.push_back(
      field("remark", fmt::format("{}: {}", fit(spoken->name, max_name), spoken->remark)));
}

void add_job_state(Lines& lines, const Report& report) {
  const auto& slurm = report.slurm;
  if (is_usual(slurm)) return;
  const bool has_reason = !slurm.reason.empty() && slurm.reason != "None";
  lines.push_back(
      field("slurm", fmt::format("job state {}{}{}", fit(slurm.job_state, max_name),
                                 has_reason ? ", reason " : "", has_reason ? slurm.reason : "")));
}

std::string times_text(const Report& report, const TextStyle& style) {
  const Times& times = report.times;
  std::string text = "launch " + local_text(report.wall_start, times.launched, style.utc_offset);
  text.resize(text.find('.'));
  const auto add = [&](std::string_view name, const std::optional<Moment>& moment) {
    if (!moment) return;
    text += fmt::format(", {} +{}", name, text::duration(between(times.launched, *moment)));
  };
  add("start", times.first_start);
  add("failure", times.failure);
  add("last end", times.last_end);
  return text;
}

// The directory is shown in full or not at all.
std::string logs_line(std::string_view directory) {
  constexpr std::string_view how = " (muster report makes a page from it)";
  constexpr std::size_t room = max_report_columns - 14;
  const auto shown = fit(directory, room);
  return field("logs", shown.size() + how.size() > room ? shown : shown + std::string(how));
}

}  // namespace

bool is_usual(const SlurmJobState& slurm) {
  constexpr std::array usual{std::string_view(""), std::string_view("RUNNING"),
                             std::string_view("COMPLETING"), std::string_view("COMPLETED"),
                             std::string_view("FAILED")};
  return contains(usual, std::string_view(slurm.job_state));
}

Lines aftermath_lines(const Report& report, const TextStyle& style, std::size_t room) {
  Lines end{field("times", times_text(report, style))};
  if (!style.report_file.empty()) end.push_back(field("report", style.report_file));
  if (!style.logs.empty()) end.push_back(logs_line(style.logs));
  Lines lines;
  add_hang(lines, report);
  add_slow(lines, report);
  add_left_early(lines, report);
  add_others(lines, report);
  add_victims(lines, report);
  add_lost_nodes(lines, report, style);
  add_node_words(lines, report);
  add_job_state(lines, report);
  lines.resize(std::min(lines.size(), room - end.size()));
  std::ranges::move(end, std::back_inserter(lines));
  return lines;
}

}  // namespace muster::report
