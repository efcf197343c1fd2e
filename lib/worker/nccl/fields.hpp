// Numbers and text inside a rank's NCCL records, little-endian.
#pragma once

#include "worker/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace muster::worker::nccl {

template <class Integer>
void put(Bytes& bytes, std::size_t offset, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    bytes[offset + i] =
        static_cast<std::byte>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xff);
  }
}

template <class Integer>
Integer get(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    value |= std::to_integer<std::uint64_t>(bytes[offset + i]) << (8 * i);
  }
  return static_cast<Integer>(value);
}

inline void append(Bytes& bytes, const void* data, std::size_t size) {
  const auto* const begin = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), begin, begin + size);
}

// The text up to the first zero byte, made safe for a message: another rank may have sent anything.
inline std::string printable(std::span<const std::byte> bytes) {
  std::string text;
  for (const auto byte : bytes) {
    const auto c = std::to_integer<char>(byte);
    if (c == '\0') break;
    text += c >= 0x20 && c < 0x7f ? c : '?';
  }
  return text;
}

}  // namespace muster::worker::nccl
