// The proof at the end of each message: BLAKE2b keyed with the step's key, which
// costs the live view half of what an HMAC of SHA-2 does.
#pragma once

#include "launcher/channel/step_key.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace muster::channel {

inline constexpr std::size_t mac_bytes = 32;
using Mac = std::array<unsigned char, mac_bytes>;

// Covers each part with its length before it: no two different lists of parts have the same.
Mac sign(const StepKey& key, std::initializer_list<std::string_view> parts);

// In constant time. `mac` has mac_bytes.
bool equals(const Mac& expected, const void* mac);

}  // namespace muster::channel
