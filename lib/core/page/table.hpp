// Tables and bars of the page, as HTML and SVG.
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
  bool number = false;  // aligned by its end
};

// The first cell of each row is its heading. A column without cells is left out. Cells and caption are ready
// for the page.
class Table {
 public:
  Table(std::string caption, std::vector<Column> columns)
      : caption_(std::move(caption)), columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  // Where it is wider than the page it scrolls, also by keyboard.
  [[nodiscard]] std::string html() const;

 private:
  using Shown = std::vector<bool>;  // by column
  [[nodiscard]] Shown with_cells() const;
  [[nodiscard]] std::string row(const std::vector<std::string>& cells, const Shown& shown) const;

  std::string caption_;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// A part of a bar, from 0 to 1 of its length.
struct Part {
  double from = 0;
  double to = 0;
  std::string_view kind;  // its class in the style sheet
  std::string title;      // what a pointer shows
};

// `label` says the same in words, for who cannot see it. Both are text of any origin.
std::string bar(std::span<const Part> parts, std::string_view label);

// What a picture's place means: times from 0 to `length`, below it.
std::string axis(std::chrono::nanoseconds length);

// A term and what it is, of a description list; both ready for the page.
std::string term(std::string_view name, const std::string& value, std::string_view kind = "");

}  // namespace muster::page
