// Text for consecutive numbers, such as CPUs or ranks: "4-11".
#pragma once

#include <cstdint>
#include <string>

namespace muster::text {

// Both ends are included; "4" where they are equal.
std::string range_text(std::uint32_t first, std::uint32_t last);

}  // namespace muster::text
