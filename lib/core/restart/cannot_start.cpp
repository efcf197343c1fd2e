// muster stops the other ranks at the first failure, so often only one rank has ended by itself. In that case
// its own message has to be proof enough.
#include "core/contains.hpp"
#include "core/report/exit_status.hpp"
#include "core/report/moments.hpp"
#include "core/report/screen.hpp"
#include "core/restart/decision.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace muster::restart {
namespace {

using report::RankEnd;

constexpr std::chrono::seconds program_start_time{10};

// How strongly the way a rank ended suggests that the program cannot start.
enum class Sign : std::uint8_t { none, if_shared, alone };

// "ImportError: no x" gives ImportError.
std::string_view type_of(std::string_view line) {
  return line.substr(0, line.find(':'));
}

bool is_of_the_start(std::string_view type) {
  constexpr std::array types{
      std::string_view("ImportError"), std::string_view("ModuleNotFoundError"),
      std::string_view("SyntaxError"), std::string_view("IndentationError"),
      std::string_view("TabError"),
  };
  return contains(types, type);
}

// The line that says what happened: the exception's, or the last one of standard error.
std::string error_line(const RankEnd& end) {
  if (end.exception) return end.exception->message.substr(0, end.exception->message.find('\n'));
  std::string last;
  for (const auto& text : end.last_lines) {
    for (const auto line : report::lines_of(text)) {
      if (!line.empty()) last = line;
    }
  }
  return last;
}

// What Python, its argparse and click write before they exit with 2.
bool is_of_the_command_line(std::string_view line) {
  return line.find(": error: ") != std::string_view::npos || line.starts_with("Error: No such ") ||
         line.find("can't open file ") != std::string_view::npos;
}

Sign sign_of(const RankEnd& end) {
  constexpr int usage = 2;
  constexpr int not_runnable = 126;  // a shell's exit code, like the next one
  constexpr int not_found = 127;
  const auto code = report::exit_code(end.wait_status);
  const auto line = error_line(end);
  if (end.exception && end.exception->of_signal) return Sign::none;
  if (is_of_the_start(type_of(line))) return Sign::alone;
  if (end.exception || !code) return Sign::none;
  if (code == not_runnable || code == not_found) return Sign::alone;
  if (code != usage) return Sign::none;
  return is_of_the_command_line(line) ? Sign::alone : Sign::if_shared;
}

// The last lines of the ranks may differ: some contain the rank's number, and some are missing.
bool same_error(const RankEnd& left, const RankEnd& right) {
  if (left.exception.has_value() != right.exception.has_value()) return false;
  if (left.exception && error_line(left) != error_line(right)) return false;
  return left.ended_by_muster || left.wait_status == right.wait_status;
}

// Counted from its first rank's start, or otherwise from the launch.
bool ran_for_longer(const AttemptHistory& attempt) {
  return attempt.first_start && attempt.failed >= *attempt.first_start + program_start_time;
}

}  // namespace

bool cannot_start(const report::Record& record, const report::Report& report,
                  std::span<const AttemptHistory> earlier) {
  if (!report.first || report.cause != report::Cause::program) return false;
  if (std::ranges::any_of(earlier, ran_for_longer)) return false;
  const auto begin = report.times.first_start.value_or(report.times.launched);
  if (report::between(begin, report.first->time) > program_start_time) return false;
  const RankEnd& first = report.first->end;
  const auto sign = sign_of(first);
  std::size_t alike = 0;
  for (const auto& end : record.ends) {
    if (end.ended_by_muster && end.place.rank != first.place.rank) continue;
    if (!same_error(first, end)) return false;
    ++alike;
  }
  return sign == Sign::alone || (sign == Sign::if_shared && (alike > 1 || record.ranks == 1));
}

}  // namespace muster::restart
