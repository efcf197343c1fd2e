// BLAKE2b with 32-byte output, computed incrementally; internal to this library.
#pragma once

#include "secret/key.hpp"
#include "secret/part.hpp"

#include <array>
#include <cstddef>

#include <sodium.h>

namespace muster::secret {

inline constexpr std::size_t hash_bytes = 32;

class Hash {
 public:
  Hash() { crypto_generichash_init(&state_, nullptr, 0, hash_bytes); }
  explicit Hash(const Key& key) {
    static_assert(key_bytes == crypto_generichash_KEYBYTES);
    static_assert(hash_bytes == crypto_generichash_BYTES);
    crypto_generichash_init(&state_, key.data(), key.size(), hash_bytes);
  }

  Hash& add(const Part& piece) {
    crypto_generichash_update(&state_, piece.data(), piece.size());
    return *this;
  }
  Hash& add(const Parts& pieces) {
    for (const auto& piece : pieces) add(piece);
    return *this;
  }

  template <class Byte>
  std::array<Byte, hash_bytes> result() {
    std::array<Byte, hash_bytes> bytes;
    crypto_generichash_final(&state_, reinterpret_cast<unsigned char*>(bytes.data()), bytes.size());
    return bytes;
  }

 private:
  crypto_generichash_state state_;
};

}  // namespace muster::secret
