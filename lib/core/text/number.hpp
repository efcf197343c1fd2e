// A number as text: its digits, with nothing before or after them.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace muster::text {

// nullopt if the text is not a number or does not fit the type.
template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace muster::text
