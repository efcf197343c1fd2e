// Variables that say the same thing as another one, or forbid it: where the user exported one,
// muster adds no second opinion.
#pragma once

#include "core/environment.hpp"

#include <optional>
#include <string_view>

namespace muster::profile {

// The exported variable that stands in for `name`; none where there is no such one.
std::optional<std::string_view> overriding_variable(std::string_view name,
                                                    const Environment& environment);

}  // namespace muster::profile
