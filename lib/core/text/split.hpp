// Splits text at separators.
#pragma once

#include <string_view>
#include <vector>

namespace muster::text {

// At least one part. Parts may be empty, and are views into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace muster::text
