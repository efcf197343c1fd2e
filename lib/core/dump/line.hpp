// Reduces text from the nodes' programs to one line.
#pragma once

#include "core/record/limits.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::dump {

// One line of printable UTF-8, at most `max_bytes` long.
std::string line_of(std::string_view text, std::size_t max_bytes);

// Reads or writes such a line as one of a type's fields.
template <class Io>
void line_field(Io& io, std::string& line, std::size_t max_bytes) {
  const auto made = [max_bytes](std::string_view text) { return line_of(text, max_bytes); };
  io.through(line, made, made, record::Max{max_bytes});
}

}  // namespace muster::dump
