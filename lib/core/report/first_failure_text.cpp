#include "core/report/first_failure_text.hpp"

#include "core/report/exit_status.hpp"
#include "core/report/moments.hpp"
#include "core/report/screen.hpp"
#include "core/text/amounts.hpp"
#include "core/text/columns.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace muster::report {
namespace {

constexpr std::size_t max_evidence_lines = 10;
constexpr std::size_t max_message_lines = 3;

std::string time_text(const Report& report, const TextStyle& style) {
  const Moment& time = report.first->time;
  auto text =
      fmt::format("{}, {} after the launch", local_text(report.wall_start, time, style.utc_offset),
                  text::duration(between(report.times.launched, time)));
  if (time.error < std::chrono::milliseconds(1)) return text;
  return text + fmt::format(" (clock error up to {})", text::duration(time.error));
}

std::string_view remark_on(const FailedRank& rank, const std::optional<Cause>& cause) {
  if (cause == Cause::out_of_memory) return "out of memory";
  const auto signal = end_signal(rank.end.wait_status);
  if (signal && rank.end.ended_by_muster) {
    return "sent by muster because the rank hung at exit";
  }
  if (signal == SIGKILL) return "not sent by muster; the node's kernel log may say more";
  return signal == SIGTERM ? "not sent by muster" : "";
}

// As torchrun shows it: a signal is a negative number.
std::string exit_text(const FailedRank& rank, const std::optional<Cause>& cause) {
  const auto status = rank.end.wait_status;
  const auto signal = end_signal(status);
  const auto remark = remark_on(rank, cause);
  auto text =
      fmt::format("{} (pid: {})", signal ? -*signal : shell_code(status), rank.end.place.pid);
  if (signal) text += ", " + in_words(status);
  const auto behind = signal ? std::nullopt : signal_behind(shell_code(status));
  const bool raised = rank.end.exception && !rank.end.exception->of_signal;
  if (behind && !raised) text += fmt::format(", as after {}", signal_name(*behind));
  return remark.empty() ? text : fmt::format("{}: {}", text, remark);
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

// Python ends a traceback with the message, which is shown on a separate line here.
std::string_view without_message(std::string_view traceback, std::string_view message) {
  const auto at = message.empty() ? std::string_view::npos : traceback.rfind(message);
  return at == std::string_view::npos ? traceback : traceback.substr(0, at);
}

Lines indented(std::span<const std::string_view> lines) {
  Lines shown;
  for (const auto line : lines) shown.push_back("    " + fit(line, max_report_columns - 4));
  return shown;
}

using Views = std::vector<std::string_view>;

// "    ^^^^^^^", below a line of a traceback.
bool only_marks(std::string_view line) {
  return line.find_first_not_of(" ^~") == std::string_view::npos;
}

// The first line of a message, split in two if the screen is too narrow.
std::pair<std::string_view, std::string_view> broken(std::string_view line) {
  constexpr std::size_t room = max_report_columns - 14;
  if (line.size() <= room) return {line, {}};
  const auto space = line.rfind(' ', room);
  if (space != std::string_view::npos && space > room / 2) {
    return {line.substr(0, space), line.substr(space + 1)};
  }
  auto end = room;
  while (end > 0 && !text::starts_character(line[end])) --end;
  return {line.substr(0, end), line.substr(end)};
}

// The lines of a message after its first. A DataLoader's message contains its worker's traceback, and the end
// of that says what happened.
Views message_rest(std::string_view message, std::size_t room) {
  Views lines = lines_of(message);
  if (lines.empty()) return lines;
  lines.front() = broken(lines.front()).second;
  if (lines.front().empty()) lines.erase(lines.begin());
  const auto count = std::min(room, max_message_lines);
  if (lines.size() <= count) return lines;
  const auto is_traceback = [](std::string_view line) {
    return line.find("Traceback (most recent call last)") != std::string_view::npos;
  };
  if (std::ranges::any_of(lines, is_traceback)) {
    std::erase_if(lines, only_marks);
    lines.erase(lines.begin(),
                lines.end() - static_cast<std::ptrdiff_t>(std::min(count, lines.size())));
  }
  lines.resize(std::min(lines.size(), count));
  return lines;
}

Views evidence_of(const RankEnd& end) {
  if (end.exception) {
    return lines_of(without_message(end.exception->traceback, end.exception->message));
  }
  Views evidence;
  for (const auto& line : end.last_lines) {
    for (const auto part : lines_of(line)) evidence.push_back(part);
  }
  return evidence;
}

}  // namespace

Lines first_failure_lines(const Report& report, const TextStyle& style) {
  const FailedRank& first = *report.first;
  const auto& [rank, local_rank, pid] = first.end.place;
  const text::Paint paint(style.color);
  Lines lines{"[0]:", field("time", time_text(report, style)),
              field("host", first.node.empty() ? "unknown" : first.node),
              field("rank", fmt::format("{} (local_rank: {})", rank, local_rank)),
              field("exitcode", exit_text(first, report.cause))};
  if (first.lost_peer) {
    lines.push_back(
        field("remark", report.left_early.empty()
                            ? "this rank blames a peer, but no other rank had failed on its own"
                            : "this rank blames a peer: another rank exited earlier, see below"));
  }
  if (first.end.exception) {
    lines.push_back(paint.bold(field("error", broken(first_line(exception_of(first.end))).first)));
  }
  return lines;
}

Lines evidence_lines(const RankEnd& end, std::size_t room) {
  const auto message = end.exception ? exception_of(end) : std::string();
  Lines lines = indented(message_rest(message, room));
  room -= lines.size();
  const Views evidence = evidence_of(end);
  if (evidence.empty() || room < 2) return lines;
  const auto count = std::min({room - 1, max_evidence_lines, evidence.size()});
  auto file = end.last_lines_file.empty() ? "its last lines" : end.last_lines_file;
  if (end.last_lines_shared)
    file +=
        " (several ranks write to this file: these lines may come "
        "from another rank)";
  lines.push_back(end.exception
                      ? field("traceback", count < evidence.size() ? "its last lines" : "")
                      : field("stderr", file));
  std::ranges::move(indented(std::span(evidence).last(count)), std::back_inserter(lines));
  return lines;
}

}  // namespace muster::report
