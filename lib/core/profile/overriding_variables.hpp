// Variables that set or forbid the same thing as another one. Where the user exported one of them,
// muster does not set the other.
#pragma once

#include "core/environment.hpp"

#include <optional>
#include <string_view>

namespace muster::profile {

// The exported variable that replaces `name`; nothing where none does.
std::optional<std::string_view> overriding_variable(std::string_view name,
                                                    const Environment& environment);

}  // namespace muster::profile
