#include "core/text/columns.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::text {

std::string Paint::with(const char* code, const std::string& text) const {
  return color_ ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
}

std::string Columns::text(const Paint& paint) const {
  const auto wide = widths();
  std::string result;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    std::string line;
    for (std::size_t column = 0; column < wide.size(); ++column) {
      if (wide[column] > 0) line += fmt::format("  {:<{}}", rows_[row][column], wide[column]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += (row == 0 ? paint.bold(line) : line) + '\n';
  }
  return result;
}

std::vector<std::size_t> Columns::widths() const {
  std::vector<std::size_t> wide(rows_.front().size());
  for (std::size_t column = 0; column < wide.size(); ++column) {
    for (std::size_t row = 1; row < rows_.size(); ++row) {
      wide[column] = std::max(wide[column], rows_[row][column].size());
    }
    if (wide[column] > 0) wide[column] = std::max(wide[column], rows_.front()[column].size());
  }
  return wide;
}

}  // namespace muster::text
