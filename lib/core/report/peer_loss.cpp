#include "core/report/peer_loss.hpp"

#include "core/report/abort_line.hpp"
#include "core/report/peer_words.hpp"
#include "core/report/rank_prefix.hpp"
#include "core/report/service_trouble.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace muster::report {
namespace {

using OwnLines = std::span<const std::string>;

// What a rank has said about its end.
enum class Words : std::uint8_t { none, lost_peer, reason };

// "RuntimeError: boom", as Python's interpreter ends a traceback.
bool names_exception(std::string_view line) {
  line = without_rank(line);
  const auto type = line.substr(0, line.find(':'));
  const auto in_name = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '.';
  };
  return std::ranges::all_of(type, in_name) &&
         (type.ends_with("Error") || type.ends_with("Exception") || type.ends_with("Timeout"));
}

// The process ended with this line's C++ exception, and had survived what the other lines report.
bool is_end(const std::string& line) {
  const auto what = what_in(line);
  return !what.empty() && blame_in(what) != Blame::nobody;
}

// The last exception in the lines and what follows it; empty if there is none, or if the process did not end
// with it.
OwnLines from_last_exception(OwnLines lines) {
  const auto after = std::find_if(lines.rbegin(), lines.rend(), names_exception).base();
  if (after == lines.begin() || std::any_of(after, lines.end(), is_end)) return {};
  return {after - 1, lines.end()};
}

Words words_in(std::string_view message, std::string_view traceback) {
  return blames_peer(message) && !is_service_trouble(message, traceback) ? Words::lost_peer
                                                                         : Words::reason;
}

// NCCL's own message, on the lines after the exception: "Last error:" and then the text.
std::string_view nccls_last_error(OwnLines lines) {
  constexpr std::string_view heading = "Last error:";
  const auto at = std::ranges::find(lines, heading, without_rank);
  return lines.end() - at < 2 ? std::string_view() : without_rank(*std::next(at));
}

Words words_in(OwnLines before, OwnLines from_exception) {
  std::string traceback;
  for (const auto& line : before) traceback.append(line).append("\n");
  std::string message(without_rank(from_exception.front()));
  message.append("\n").append(nccls_last_error(from_exception));
  return words_in(message, traceback);
}

// The last line that blames anybody counts. A line that blames the rank itself is a reason only if torch or
// the C++ library wrote it when the rank aborted: the program may have survived what other lines report.
Words words_without_exception(OwnLines lines) {
  const auto blames = [](const std::string& line) { return blame_in(line) != Blame::nobody; };
  const auto last = std::find_if(lines.rbegin(), lines.rend(), blames);
  if (last == lines.rend()) return Words::none;
  if (blames_peer(*last)) return Words::lost_peer;
  return said_at_abort(*last).empty() ? Words::none : Words::reason;
}

Words words_of(const RankEnd& end) {
  if (end.exception && !end.exception->of_signal)
    return words_in(end.exception->message, end.exception->traceback);
  if (end.blamed_peer) return Words::lost_peer;
  if (end.last_lines_shared) return Words::none;
  const OwnLines lines(end.last_lines);
  const auto from_exception = from_last_exception(lines);
  if (from_exception.empty()) return words_without_exception(lines);
  return words_in(lines.first(lines.size() - from_exception.size()), from_exception);
}

}  // namespace

bool lost_peer(const RankEnd& end) {
  return words_of(end) == Words::lost_peer;
}

std::string_view named_exception(const RankEnd& end) {
  if (end.last_lines_shared) return {};
  const auto lines = from_last_exception(end.last_lines);
  return lines.empty() ? std::string_view() : without_rank(lines.front());
}

bool says_why(const RankEnd& end) {
  return words_of(end) == Words::reason;
}

}  // namespace muster::report
