#include "core/report/first_failure_text.hpp"

#include "core/report/exit_status.hpp"
#include "core/report/moments.hpp"
#include "core/report/screen.hpp"
#include "core/text/columns.hpp"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

namespace muster::report {
namespace {

constexpr std::size_t max_evidence_lines = 10;

std::string time_text(const Report& report, const TextStyle& style) {
  const Moment& time = report.first->time;
  auto text =
      fmt::format("{}, {} after the launch", local_text(report.wall_start, time, style.utc_offset),
                  duration_text(between(report.times.launched, time)));
  if (time.error < std::chrono::milliseconds(1)) return text;
  return text + fmt::format(" (the node's clock may be wrong by {})", duration_text(time.error));
}

std::string_view remark_on(const FailedRank& rank, const std::optional<Cause>& cause) {
  if (cause == Cause::out_of_memory) return "out of memory";
  if (rank.end.ended_by_muster) return "by muster: it had not ended after this exception";
  const auto signal = end_signal(rank.end.wait_status);
  if (signal == SIGKILL) return "not by muster; the node's kernel log may say more";
  return signal == SIGTERM ? "not by muster" : "";
}

// As torchrun has it: a signal is a negative number.
std::string exit_text(const FailedRank& rank, const std::optional<Cause>& cause) {
  const auto status = rank.end.wait_status;
  const auto signal = end_signal(status);
  const auto remark = remark_on(rank, cause);
  auto text =
      fmt::format("{} (pid: {})", signal ? -*signal : shell_code(status), rank.end.place.pid);
  if (signal) text += fmt::format(" ({})", in_words(status));
  const auto behind = signal ? std::nullopt : signal_behind(shell_code(status));
  if (behind && !rank.end.exception) text += fmt::format(" (as of {})", signal_name(*behind));
  return remark.empty() ? text : fmt::format("{}: {}", text, remark);
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

// Python ends a traceback with the message, which has its own line here.
std::string_view without_message(std::string_view traceback, std::string_view message) {
  const auto at = message.empty() ? std::string_view::npos : traceback.rfind(message);
  return at == std::string_view::npos ? traceback : traceback.substr(0, at);
}

Lines last_of(std::vector<std::string_view> lines, std::size_t count) {
  if (lines.size() > count)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  Lines shown;
  for (const auto line : lines) {
    shown.push_back("    " + fit(line, max_report_columns - 4));
  }
  return shown;
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
  if (first.end.exception) {
    lines.push_back(paint.bold(field("error", first_line(first.end.exception->message))));
  }
  return lines;
}

Lines evidence_lines(const RankEnd& end, std::size_t room) {
  if (room < 2) return {};
  const auto count = std::min(room - 1, max_evidence_lines);
  std::string heading = field("traceback", "its end");
  std::vector<std::string_view> evidence;
  if (end.exception) {
    evidence = lines_of(without_message(end.exception->traceback, end.exception->message));
    if (evidence.size() <= count) heading = field("traceback", "");
  } else {
    for (const auto& line : end.last_lines) {
      for (const auto part : lines_of(line)) evidence.push_back(part);
    }
    heading = field("stderr", end.last_lines_file);
  }
  if (evidence.empty()) return {};
  Lines lines{heading};
  std::ranges::move(last_of(std::move(evidence), count), std::back_inserter(lines));
  return lines;
}

}  // namespace muster::report
