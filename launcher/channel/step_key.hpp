// Proves that two processes of muster belong to the same step. Made anew for each attempt.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace muster::channel {

inline constexpr std::size_t step_key_bytes = 32;
using StepKey = std::array<unsigned char, step_key_bytes>;

// Throws Error if there is no source of random numbers.
StepKey make_step_key();

// 64 lower-case hexadecimal digits.
std::string to_hex(const StepKey& key);

// Nothing for any other text.
std::optional<StepKey> step_key_from_hex(std::string_view text);

}  // namespace muster::channel
