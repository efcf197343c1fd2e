#include "core/record/record.hpp"

#include <charconv>
#include <system_error>

namespace muster::record {
namespace {

constexpr std::string_view digits = "0123456789abcdef";

template <class Number>
void append_number(std::string& text, Number value, char end) {
  std::array<char, 32> written{};  // the longest double has 24 characters
  auto* const stop = std::to_chars(written.data(), written.data() + written.size(), value).ptr;
  *stop = end;
  text.append(written.data(), stop + 1);
}

}  // namespace

void Writer::scalar(std::uint64_t value, std::uint64_t /*least*/, std::uint64_t /*most*/) {
  append_number(text_, value, ' ');
}

void Writer::scalar(std::int64_t value, std::int64_t /*least*/, std::int64_t /*most*/) {
  append_number(text_, value, ' ');
}

void Writer::scalar(double value, double /*least*/, double /*most*/) {
  append_number(text_, value, ' ');
}

void Writer::append(std::string_view value) {
  append_number(text_, value.size(), ':');
  text_ += value;
}

void Writer::bytes(const unsigned char* bytes, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    text_ += digits[bytes[i] >> 4U];
    text_ += digits[bytes[i] & 0xFU];
  }
}

Writer::Items Writer::counted(std::size_t have, Max /*limit*/) {
  scalar(std::uint64_t{have});
  return {0, have};
}

Writer::Items Writer::counted(std::size_t have, First limit) {
  return counted(std::min(have, limit.size), Max{});
}

Writer::Items Writer::counted(std::size_t have, Last limit) {
  const auto count = std::min(have, limit.size);
  scalar(std::uint64_t{count});
  return {have - count, count};
}

template <class Number>
void Reader::take_number(Number& value, Number least, Number most) {
  Number found{};
  const auto* const end = rest_.data() + rest_.size();
  const auto [stop, error] = std::from_chars(rest_.data(), end, found);
  // NaN is outside every range.
  if (!good_ || error != std::errc{} || stop == end || *stop != ' ' || !(found >= least) ||
      !(found <= most)) {
    return refuse();
  }
  rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()) + 1);
  value = found;
}

void Reader::scalar(std::uint64_t& value, std::uint64_t least, std::uint64_t most) {
  take_number(value, least, most);
}

void Reader::scalar(std::int64_t& value, std::int64_t least, std::int64_t most) {
  take_number(value, least, most);
}

void Reader::scalar(double& value, double least, double most) {
  take_number(value, least, most);
}

std::string_view Reader::take_text(std::size_t max) {
  std::size_t size = 0;
  const auto* const end = rest_.data() + rest_.size();
  const auto [stop, error] = std::from_chars(rest_.data(), end, size);
  const bool found = good_ && error == std::errc{} && stop != end && *stop == ':' && size <= max &&
                     size <= static_cast<std::size_t>(end - stop) - 1;
  if (!found) {
    refuse();
    return {};
  }
  const std::string_view text(stop + 1, size);
  rest_.remove_prefix(static_cast<std::size_t>(text.data() + size - rest_.data()));
  return text;
}

// An item takes at least one byte, provided that it has a field.
std::size_t Reader::take_count(std::size_t max) {
  std::uint64_t count = 0;
  take_number(count, std::uint64_t{0}, std::uint64_t{std::min(max, rest_.size())});
  return count;
}

void Reader::bytes(unsigned char* bytes, std::size_t size) {
  if (rest_.size() < 2 * size) return refuse();
  for (std::size_t i = 0; i < size && good_; ++i) {
    const auto high = digits.find(rest_[2 * i]);
    const auto low = digits.find(rest_[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return refuse();
    bytes[i] = static_cast<unsigned char>(high << 4U | low);
  }
  rest_.remove_prefix(2 * size);
}

}  // namespace muster::record
