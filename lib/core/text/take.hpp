// Takes the parts of a line, one after another.
#pragma once

#include <algorithm>
#include <string_view>

namespace muster::text {

// Takes the text up to the separator and the separator itself; the whole text if there is no separator.
inline std::string_view take(std::string_view& text, char separator = ' ') {
  const auto taken = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(taken.size() + 1, text.size()));
  return taken;
}

}  // namespace muster::text
