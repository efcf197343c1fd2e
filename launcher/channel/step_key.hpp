// The key by which the agents and the supervisor of a step know each other.
#pragma once

#include <array>
#include <cstddef>

namespace muster {

// Made afresh for each attempt.
inline constexpr std::size_t step_key_bytes = 32;
using StepKey = std::array<unsigned char, step_key_bytes>;

StepKey make_step_key();

}  // namespace muster
