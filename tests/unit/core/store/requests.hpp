// Requests as torch's clients write them.
#pragma once

#include "core/store/request.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::store {

template <class Number>
std::string bytes_of(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

inline std::string text(std::string_view bytes) {
  return bytes_of(std::uint64_t{bytes.size()}) + std::string(bytes);
}

inline std::string texts(const std::vector<std::string>& all) {
  auto bytes = bytes_of(std::uint64_t{all.size()});
  for (const auto& one : all) bytes += text(one);
  return bytes;
}

inline std::string code(std::uint8_t operation) {
  return {static_cast<char>(operation)};
}

inline std::string code(Operation operation) {
  return code(static_cast<std::uint8_t>(operation));
}

// What torch 2.2 and newer send first.
inline std::string magic() {
  return code(0) + bytes_of(std::uint32_t{0x3C85F7CE});
}

}  // namespace muster::store
