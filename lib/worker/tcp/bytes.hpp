// Converts numbers and names to bytes, little-endian, and back, checking every length.
#pragma once

#include "muster/muster.h"
#include "worker/one_line.hpp"
#include "worker/transport.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace muster::worker::tcp {

using View = std::span<const std::byte>;

// The received bytes were not sent by this library.
class Garbled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t max_name_bytes = 255;

class Writer {
 public:
  Writer& u8(std::uint8_t value) { return number(value, 1); }
  Writer& u16(std::uint16_t value) { return number(value, 2); }
  Writer& u32(std::uint32_t value) { return number(value, 4); }
  Writer& u64(std::uint64_t value) { return number(value, 8); }
  Writer& raw(View bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Writer& text(std::string_view text) { return raw(std::as_bytes(std::span{text})); }
  // Writes the length in one byte first, and truncates the name to what that byte can count.
  Writer& name(std::string_view text) {
    text = text.substr(0, max_name_bytes);
    return u8(static_cast<std::uint8_t>(text.size())).Writer::text(text);
  }
  Bytes take() { return std::move(bytes_); }

 private:
  Writer& number(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    return *this;
  }

  Bytes bytes_;
};

class Parser {
 public:
  explicit Parser(View bytes) : left_(bytes) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return number(4); }
  View raw(std::size_t size) {
    if (size > left_.size()) throw Garbled("a message that is too short");
    const auto taken = left_.first(size);
    left_ = left_.subspan(size);
    return taken;
  }
  std::string text(std::size_t size) {
    const auto bytes = raw(size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::string name() { return text(u8()); }
  std::size_t left() const { return left_.size(); }

 private:
  std::uint32_t number(std::size_t bytes) {
    std::uint32_t value = 0;
    std::uint32_t shift = 0;
    for (const auto byte : raw(bytes)) {
      value |= std::to_integer<std::uint32_t>(byte) << shift;
      shift += 8;
    }
    return value;
  }

  View left_;
};

}  // namespace muster::worker::tcp
