#include "core/file/yaml_comments.hpp"

#include <algorithm>

namespace muster::file {
namespace {

constexpr auto none = std::string_view::npos;

// Whether a value that begins on this line may continue on the next lines, where '#' would be text: a block
// scalar or a quoted one. Only NAME: "value" certainly ends. If this is true without need, only time is
// lost.
bool may_go_on(std::string_view line) {
  if (line.find_first_of("|>\\") != none) return true;
  const auto begin = line.find_first_of("\"'");
  if (begin == none) return false;
  const auto end = line.find_first_of("\"'", begin + 1);
  const bool one_value =
      end != none && line[end] == line[begin] && line.find_first_of("\"'", end + 1) == none;
  return !one_value || !line.substr(0, begin).ends_with(": ");
}

// Takes one line, with its line end.
std::string_view take_line(std::string_view& rest) {
  const auto line = rest.substr(0, std::min(rest.find_first_of("\r\n"), rest.size() - 1) + 1);
  rest.remove_prefix(line.size());
  return line;
}

}  // namespace

std::string shorten_comments(std::string_view text) {
  std::string shorter;
  if (text.find('\0') != none) return std::string(text);  // UTF-16
  shorter.reserve(text.size());
  while (!text.empty()) {
    const auto line = take_line(text);
    const auto first = line.find_first_not_of(" \t");
    if (first != none && line[first] == '#') {
      shorter.append(line.substr(0, first + 1));
      if (const char last = line.back(); last == '\n' || last == '\r') shorter.push_back(last);
      continue;
    }
    shorter.append(line);
    if (may_go_on(line)) break;
  }
  return shorter.append(text);
}

}  // namespace muster::file
