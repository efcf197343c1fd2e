// Pairs of variables that set or forbid the same thing. If the user exported one of them, muster does not
// set the other.
#pragma once

#include "core/environment.hpp"

#include <optional>
#include <string_view>

namespace muster::profile {

// The exported variable that replaces `name`, if any.
std::optional<std::string_view> overriding_variable(std::string_view name,
                                                    const Environment& environment);

}  // namespace muster::profile
