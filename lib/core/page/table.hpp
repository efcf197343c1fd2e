// The page's tables and bars, as HTML and SVG.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::page {

struct Column {
  std::string heading;
  bool number = false;  // aligned to the right
};

// The first cell of each row is its heading. Columns without content are left out. Cells and caption must
// be escaped.
class Table {
 public:
  Table(std::string caption, std::vector<Column> columns)
      : caption_(std::move(caption)), columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  // A table wider than the page scrolls, also with the keyboard.
  [[nodiscard]] std::string html() const;

 private:
  using Shown = std::vector<bool>;  // by column
  [[nodiscard]] Shown with_cells() const;
  [[nodiscard]] std::string row(const std::vector<std::string>& cells, const Shown& shown) const;

  std::string caption_;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// A part of a bar; begin and end are fractions of the bar's length.
struct Part {
  double from = 0;
  double to = 0;
  std::string_view kind;  // its class in the style sheet
  std::string title;      // the tooltip
};

// `label` says the same in words, for readers who cannot see the bar. Titles and label may be untrusted text.
std::string bar(std::span<const Part> parts, std::string_view label);

// The axis below a picture: times from 0 to `length`.
std::string axis(std::chrono::nanoseconds length);

// A term and its description, for a description list; both must be escaped.
std::string term(std::string_view name, const std::string& value, std::string_view kind = "");

}  // namespace muster::page
