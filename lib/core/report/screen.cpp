#include "core/report/screen.hpp"

#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::report {
namespace {

constexpr std::string_view cut = "...";

// East Asian characters and most symbols above them are two columns wide; some narrow ones also count as two
// here, which only leaves some space unused.
std::size_t columns_of(std::string_view character) {
  return static_cast<unsigned char>(character.front()) >= 0xE1 ? 2 : 1;
}

std::string_view first_character(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && !text::starts_character(text[length])) ++length;
  return text.substr(0, length);
}

// How many bytes of printable text fit.
std::size_t bytes_that_fit(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const auto character = first_character(text.substr(bytes));
    if (columns_of(character) > columns) break;
    columns -= columns_of(character);
    bytes += character.size();
  }
  return bytes;
}

std::string_view without_overwritten(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  const auto overwritten = line.rfind('\r');
  if (overwritten != std::string_view::npos) line.remove_prefix(overwritten + 1);
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace

std::string fit(std::string_view text, std::size_t columns) {
  constexpr std::size_t max_bytes_per_column = 4;
  std::string plain(text.substr(0, (columns + 1) * max_bytes_per_column));
  std::ranges::replace(plain, '\t', ' ');
  std::string shown = text::printable_path(plain);
  if (bytes_that_fit(shown, columns) == shown.size() && plain.size() == text.size()) return shown;
  shown.resize(bytes_that_fit(shown, columns - std::min(columns, cut.size())));
  return shown.append(cut.substr(0, columns));
}

std::string field(std::string_view name, std::string_view value) {
  if (value.empty()) return fmt::format("  {:<10}:", name);
  return fit(fmt::format("  {:<10}: {}", name, value), max_report_columns);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  auto lines = text::split(text, '\n');
  std::ranges::transform(lines, lines.begin(), without_overwritten);
  while (!lines.empty() && lines.back().empty()) {
    lines.pop_back();
  }
  return lines;
}

}  // namespace muster::report
