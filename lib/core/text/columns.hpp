// Text in columns, for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace muster::text {

struct TableStyle {
  bool color = false;
};

// Colours text, or returns it unchanged.
class Paint {
 public:
  explicit Paint(bool color) : color_(color) {}
  [[nodiscard]] std::string bold(const std::string& text) const { return with("1", text); }
  [[nodiscard]] std::string red(const std::string& text) const { return with("31", text); }
  [[nodiscard]] std::string yellow(const std::string& text) const { return with("33", text); }

 private:
  [[nodiscard]] std::string with(const char* code, const std::string& text) const;

  bool color_;
};

// Cells under headings. A column is as wide as its widest cell; a column without cells is omitted.
class Columns {
 public:
  explicit Columns(std::vector<std::string> headings) : rows_{std::move(headings)} {}

  // As many cells as there are headings.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  [[nodiscard]] std::string text(const Paint& paint) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;

  std::vector<std::vector<std::string>> rows_;
};

}  // namespace muster::text
