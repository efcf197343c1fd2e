#include "core/text/lower_case.hpp"

#include <algorithm>

namespace muster::text {

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char letter) {
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    return is_upper ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return lower;
}

}  // namespace muster::text
