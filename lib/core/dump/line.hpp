// Text from the nodes' programs as one line.
#pragma once

#include "core/record/limits.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::dump {

// One line of printable UTF-8, at most so many bytes.
std::string line_of(std::string_view text, std::size_t max_bytes);

// Such a line among a type's fields, in either direction.
template <class Io>
void line_field(Io& io, std::string& line, std::size_t max_bytes) {
  const auto made = [max_bytes](std::string_view text) { return line_of(text, max_bytes); };
  io.through(line, made, made, record::Max{max_bytes});
}

}  // namespace muster::dump
