#include "core/dump/line.hpp"

#include "core/text/quote.hpp"

#include <algorithm>

namespace muster::dump {

std::string line_of(std::string_view text, std::size_t max_bytes) {
  auto line = text::printable_path(text.substr(0, max_bytes));
  auto size = std::min(line.size(), max_bytes);
  while (size > 0 && size < line.size() && !text::starts_character(line[size])) --size;
  line.resize(size);
  return line;
}

}  // namespace muster::dump
