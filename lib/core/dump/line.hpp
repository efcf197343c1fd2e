// What comes from the nodes' programs, as one line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::dump {

// One line of printable UTF-8, at most so many bytes.
std::string line_of(std::string_view text, std::size_t max_bytes);

}  // namespace muster::dump
