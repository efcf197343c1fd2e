// A number as text: its digits, and nothing before or behind them.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace muster::text {

// Nothing where the text is no such number, or one that the type cannot hold.
template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace muster::text
