// A MAC (message authentication code) proves that its sender has the key and that the message arrived
// unchanged. It is BLAKE2b with a key, which costs half of what an HMAC with SHA-2 costs.
#pragma once

#include "secret/key.hpp"
#include "secret/part.hpp"

#include <array>
#include <cstddef>

namespace muster::secret {

inline constexpr std::size_t mac_bytes = 32;
using Mac = std::array<std::byte, mac_bytes>;
using Digest = std::array<std::byte, 32>;

// Covers each part and its length, so that different lists of parts have different MACs. A part is shorter
// than 4 GiB. The first part names the kind of message, so a MAC for one kind is never valid for another
// kind.
Mac sign(const Key& key, const Parts& parts);

// Compares in constant time. False if `mac` does not have mac_bytes.
bool equals(const Mac& expected, Part mac);

// A key for one purpose: it reveals nothing about `key` to those who have it. The first part names the
// purpose, and no message uses that name.
Key derive_key(const Key& key, const Parts& parts);

// Represents, in a MAC, bytes that are too long, or sent too often, to be covered directly. Treats the pieces
// as one concatenated sequence.
Digest digest(const Parts& pieces);

}  // namespace muster::secret
