#include "wire/codec.hpp"

#include <cstring>

namespace muster::wire {
namespace {

template <typename T>
void append(std::string& bytes, T value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof raw);
}

template <typename T>
T parse(std::string_view raw) {
  T value{};
  if (raw.size() == sizeof value) std::memcpy(&value, raw.data(), sizeof value);
  return value;
}

}  // namespace

void Encoder::u32(std::uint32_t value) {
  append(bytes_, value);
}
void Encoder::u64(std::uint64_t value) {
  append(bytes_, value);
}

void Encoder::text(std::string_view value) {
  u32(static_cast<std::uint32_t>(value.size()));
  bytes_.append(value);
}

void Encoder::texts(const std::vector<std::string>& values) {
  u32(static_cast<std::uint32_t>(values.size()));
  for (const auto& value : values) text(value);
}

void Encoder::u32s(const std::vector<std::uint32_t>& values) {
  u32(static_cast<std::uint32_t>(values.size()));
  for (const auto value : values) u32(value);
}

void Encoder::u64s(const std::vector<std::uint64_t>& values) {
  u32(static_cast<std::uint32_t>(values.size()));
  for (const auto value : values) u64(value);
}

std::string_view Decoder::take(std::size_t size) {
  if (!ok_ || size > rest_.size()) {
    ok_ = false;
    return {};
  }
  const auto taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::uint32_t Decoder::u32() {
  return parse<std::uint32_t>(take(sizeof(std::uint32_t)));
}
std::uint64_t Decoder::u64() {
  return parse<std::uint64_t>(take(sizeof(std::uint64_t)));
}
std::string Decoder::text() {
  return std::string(take(u32()));
}

std::uint32_t Decoder::count(std::size_t item_bytes) {
  const auto items = u32();
  if (items > rest_.size() / item_bytes || items > items_left_) {
    ok_ = false;
    return 0;
  }
  items_left_ -= items;
  return items;
}

std::vector<std::string> Decoder::texts() {
  std::vector<std::string> values(count(sizeof(std::uint32_t)));
  for (auto& value : values) value = text();
  return values;
}

std::vector<std::uint32_t> Decoder::u32s() {
  std::vector<std::uint32_t> values(count(sizeof(std::uint32_t)));
  for (auto& value : values) value = u32();
  return values;
}

std::vector<std::uint64_t> Decoder::u64s() {
  std::vector<std::uint64_t> values(count(sizeof(std::uint64_t)));
  for (auto& value : values) value = u64();
  return values;
}

}  // namespace muster::wire
