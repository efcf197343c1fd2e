// Whether a word is in a list of words.
#pragma once

#include <algorithm>
#include <string_view>

namespace muster::text {

bool is_one_of(std::string_view word, const auto& words) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace muster::text
