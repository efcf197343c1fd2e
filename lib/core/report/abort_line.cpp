#include "core/report/abort_line.hpp"

#include "core/report/peer_words.hpp"
#include "core/report/rank_prefix.hpp"

#include <string>

namespace muster::report {
namespace {

// "[rank3]:[E515 12:00:00.123 ProcessGroupNCCL.cpp:1414] boom": E stands for an error, F for a fatal one.
std::string_view error_in(std::string_view line) {
  if (!has_rank(line)) return {};
  line = without_rank(line);
  if (!line.starts_with("[E") && !line.starts_with("[F")) return {};
  const auto end = line.find("] ");
  return end == std::string_view::npos ? std::string_view() : line.substr(end + 2);
}

}  // namespace

std::string_view what_in(std::string_view line) {
  constexpr std::string_view begin = "  what():  ";
  return line.starts_with(begin) ? line.substr(begin.size()) : std::string_view();
}

std::string_view said_at_abort(std::string_view line) {
  const auto what = what_in(line);
  return what.empty() ? error_in(line) : what;
}

std::string_view abort_line(const RankEnd& end) {
  if (end.last_lines_shared) return {};
  std::string_view what;
  std::string_view error;
  std::string_view blaming;
  for (const std::string& line : end.last_lines) {
    if (const auto text = what_in(line); !text.empty()) what = text;
    if (const auto text = error_in(line); !text.empty()) {
      error = text;
      if (blame_in(text) != Blame::nobody) blaming = text;
    }
  }
  if (!what.empty()) return what;
  return blaming.empty() ? error : blaming;
}

}  // namespace muster::report
