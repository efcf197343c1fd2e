// Comparing words without regard to upper and lower case.
#pragma once

#include <string>
#include <string_view>

namespace muster::text {

// Changes ASCII letters only.
std::string in_lower_case(std::string_view text);

}  // namespace muster::text
