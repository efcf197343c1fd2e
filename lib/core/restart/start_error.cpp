#include "core/restart/start_error.hpp"

#include "core/contains.hpp"
#include "core/report/exit_status.hpp"
#include "core/report/moments.hpp"
#include "core/report/screen.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace muster::restart {
namespace {

using report::RankEnd;
using std::chrono::milliseconds;

// The times that nodes need to import the same modules usually differ by less than this. The failure of a
// single bad node is reported that much later.
constexpr milliseconds second_node_time{1000};
constexpr std::size_t max_error_bytes = 200;

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

report::Moment time_of(const RankEnd& end) {
  return end.exception ? end.exception->time.value_or(end.time) : end.time;
}

// False if it is unknown when the first rank started.
bool is_soon_after_start(const report::Moment& time, std::span<const report::NodeRecord> nodes) {
  std::optional<report::Moment> first;
  for (const auto& node : nodes) {
    if (node.started && (!first || node.started->time < first->time)) first = node.started;
  }
  return first && report::between(*first, time) <= program_start_time;
}

}  // namespace

StartSign start_sign(const RankEnd& end) {
  constexpr int usage = 2;
  constexpr int not_runnable = 126;  // a shell's exit code, like the next one
  constexpr int not_found = 127;
  const auto code = report::exit_code(end.wait_status);
  const auto line = error_line(end);
  if (end.exception && end.exception->of_signal) return StartSign::none;
  if (is_of_the_start(type_of(line))) return StartSign::alone;
  if (end.exception || !code) return StartSign::none;
  if (code == not_runnable || code == not_found) return StartSign::alone;
  if (code != usage) return StartSign::none;
  return is_of_the_command_line(line) ? StartSign::alone : StartSign::if_shared;
}

// The last lines of the ranks may differ: some contain the rank's number, and some are missing.
bool same_error(const RankEnd& first, const RankEnd& end) {
  if (first.exception.has_value() != end.exception.has_value()) return false;
  if (first.exception && error_line(first) != error_line(end)) return false;
  return first.ended_by_muster || end.ended_by_muster || first.wait_status == end.wait_status;
}

std::string start_error(const RankEnd& end) {
  const auto line = error_line(end);
  if (is_of_the_start(type_of(line))) return line.substr(0, max_error_bytes);
  return fmt::format("exit code {}", report::exit_code(end.wait_status).value_or(0));
}

milliseconds time_for_second_node(const RankEnd& end, std::span<const report::NodeRecord> nodes) {
  const bool counts = start_sign(end) == StartSign::alone && nodes.size() > 1 &&
                      is_soon_after_start(time_of(end), nodes);
  return counts ? second_node_time : milliseconds{0};
}

}  // namespace muster::restart
