// Whether a list contains a value.
#pragma once

#include <algorithm>
#include <ranges>

namespace muster {

bool contains(const auto& values, const auto& value) {
  return std::ranges::find(values, value) != std::ranges::end(values);
}

}  // namespace muster
