#include "core/text/range.hpp"

#include <fmt/format.h>

namespace muster::text {

std::string range_text(std::uint32_t first, std::uint32_t last) {
  return first == last ? fmt::to_string(first) : fmt::format("{}-{}", first, last);
}

}  // namespace muster::text
