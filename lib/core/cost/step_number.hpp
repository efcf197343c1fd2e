// The number of the training step in the user's progress file. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace muster::cost {

inline constexpr double max_step = 1e15;

// A text that is one number, such as "1200\n"; or the number that follows the word "step", "global_step",
// "iteration" or "iter", as in {"epoch": 3, "step": 1200}. No value for any other text, for one with bytes
// that are not text, such as a checkpoint's, and for numbers that are negative or too large.
std::optional<double> step_number(std::string_view text);

}  // namespace muster::cost
