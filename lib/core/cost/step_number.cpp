#include "core/cost/step_number.hpp"

#include "core/text/number.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

namespace muster::cost {
namespace {

constexpr std::array names{std::string_view("step"), std::string_view("global_step"),
                           std::string_view("iteration"), std::string_view("iter")};

bool is_text(unsigned char c) {
  return c >= 0x20 ? c != 0x7f : c == '\n' || c == '\r' || c == '\t';
}

bool is_of_word(unsigned char c) {
  return std::isalnum(c) != 0 || c == '_';
}

bool is_digit(unsigned char c) {
  return std::isdigit(c) != 0;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.remove_suffix(1);
  return text;
}

// The number at the beginning of `text`: "1200", "12.5". Takes it off.
std::optional<double> take_number(std::string_view& text) {
  const auto digits = [&text](std::size_t from) {
    while (from < text.size() && is_digit(static_cast<unsigned char>(text[from]))) ++from;
    return from;
  };
  const auto whole = digits(0);
  constexpr std::size_t max_digits = 15;
  if (whole == 0 || whole > max_digits) return std::nullopt;
  auto value = static_cast<double>(text::number<std::int64_t>(text.substr(0, whole)).value_or(0));
  auto end = whole;
  if (end + 1 < text.size() && text[end] == '.' &&
      is_digit(static_cast<unsigned char>(text[end + 1]))) {
    end = digits(whole + 1);
    double place = 0.1;
    for (auto i = whole + 1; i < end; ++i, place /= 10) value += (text[i] - '0') * place;
  }
  text.remove_prefix(end);
  return value <= max_step ? std::optional(value) : std::nullopt;
}

// The number after a name: `": 1200`, "=1200", " 1200".
std::optional<double> number_after(std::string_view text) {
  const auto from = text.find_first_not_of("\"': =\t");
  if (from == std::string_view::npos || from == 0) return std::nullopt;
  text.remove_prefix(from);
  const auto value = take_number(text);
  const bool ends = text.empty() || !is_of_word(static_cast<unsigned char>(text.front()));
  return ends ? value : std::nullopt;
}

}  // namespace

std::optional<double> step_number(std::string_view text) {
  if (!std::ranges::all_of(text, is_text)) return std::nullopt;
  auto whole = trimmed(text);
  const auto alone = take_number(whole);
  if (alone && whole.empty()) return alone;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_of_word(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    const auto begin = at;
    while (at < text.size() && is_of_word(static_cast<unsigned char>(text[at]))) ++at;
    if (std::ranges::find(names, text.substr(begin, at - begin)) == names.end()) continue;
    if (const auto value = number_after(text.substr(at))) return value;
  }
  return std::nullopt;
}

}  // namespace muster::cost
