// Random keys, and their text form. Two processes that have the same key belong to the same step, or to the
// same user.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace muster::secret {

inline constexpr std::size_t key_bytes = 32;
using Key = std::array<unsigned char, key_bytes>;

// One line: what failed, and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Fills these bytes. Throws Error if the system has no source of random numbers.
void randomize(void* bytes, std::size_t size);

// A new random key. Throws Error like randomize().
Key make_key();

// 64 lower-case hexadecimal digits.
std::string to_hex(const Key& key);

// Reads 64 hexadecimal digits; no value for any other text.
std::optional<Key> key_from_hex(std::string_view text);

}  // namespace muster::secret
