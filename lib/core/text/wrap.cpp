#include "core/text/wrap.hpp"

#include "core/text/list.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::text {
namespace {

constexpr std::size_t indent = 2;
constexpr std::size_t narrow_column = 6;
constexpr std::size_t least_for_meaning = 36;

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (const auto word : split(text, ' ')) {
    if (word.empty()) continue;
    if (lines.empty() || lines.back().size() + 1 + word.size() > width) {
      lines.emplace_back(word);
    } else {
      lines.back().append(" ").append(word);
    }
  }
  return lines;
}

std::string definition(std::string_view term, std::string_view meaning, std::size_t column,
                       std::size_t width) {
  if (width < column + least_for_meaning) column = narrow_column;
  const auto lines = wrapped(meaning, std::max(width, column + 1) - column);
  std::string text = fmt::format("{:{}}{}", "", indent, term);
  const bool same_line = text.size() + 2 <= column && !lines.empty();
  if (same_line) text += fmt::format("{:{}}{}", "", column - text.size(), lines.front());
  text += '\n';
  for (std::size_t i = same_line ? 1 : 0; i < lines.size(); ++i) {
    text += fmt::format("{:{}}{}\n", "", column, lines[i]);
  }
  return text;
}

}  // namespace muster::text
