// Values of srun's options that several parts of a launch read. Pure.
#pragma once

#include "core/srun/line.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::srun {

// Whether the value is --distribution=arbitrary, in any of its forms: the step cannot use other nodes.
bool is_arbitrary(std::string_view distribution);
bool places_tasks(const Line& line);

// The number that a value begins with, as srun reads it: 2 of "2-4", 1024 of "1k".
std::optional<std::uint32_t> leading_number(std::string_view text);

}  // namespace muster::srun
