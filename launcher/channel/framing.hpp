// The length before each message: four bytes, big endian.
#pragma once

#include <array>
#include <cstddef>

namespace muster::channel {

inline constexpr std::size_t length_bytes = 4;
using Length = std::array<unsigned char, length_bytes>;

constexpr Length encode_length(std::size_t size) {
  Length bytes{};
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte, size >>= 8) {
    *byte = static_cast<unsigned char>(size & 0xff);
  }
  return bytes;
}

constexpr std::size_t decode_length(const Length& bytes) {
  std::size_t size = 0;
  for (const auto byte : bytes) size = size << 8 | byte;
  return size;
}

}  // namespace muster::channel
