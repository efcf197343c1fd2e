// Whether a node is one of several.
#pragma once

#include <algorithm>
#include <span>
#include <string>

namespace muster::attempts {

inline bool holds(std::span<const std::string> nodes, const std::string& node) {
  return std::ranges::find(nodes, node) != nodes.end();
}

}  // namespace muster::attempts
