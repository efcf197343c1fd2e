// "4-11": consecutive numbers, such as CPUs or ranks.
#pragma once

#include <cstdint>
#include <string>

namespace muster::text {

// Both included; "4" where that is one.
std::string range_text(std::uint32_t first, std::uint32_t last);

}  // namespace muster::text
