#include "core/option/value_parsing.hpp"

#include "core/option/synonyms.hpp"
#include "core/text/duration.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "core/text/suggestion.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace muster::option {
namespace {

constexpr std::size_t max_list = 1024;
constexpr std::size_t max_value_bytes = 4096;

bool is_control(char letter) {
  return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F;
}

}  // namespace

Error invalid(const Given& given, std::string_view why, std::string_view remedy) {
  return Error{fmt::format("{}: {}={}: {}; {}", given.setting.where, given.key.name,
                           text::printable(given.setting.value), why, remedy)};
}

std::string_view checked_text(const Given& given) {
  const std::string_view value = given.setting.value;
  if (value.empty()) {
    const std::string_view form = given.key.is_switch ? "on|off" : std::string_view(given.key.form);
    throw invalid(given, "empty value", fmt::format("use {}={}", given.key.name, form));
  }
  if (value.size() > max_value_bytes) {
    throw invalid(given, fmt::format("longer than {} bytes", max_value_bytes), "shorten it");
  }
  if (value.find(',') != std::string_view::npos) {
    throw invalid(given, "a comma ends a value", "use '+' between the items of a list");
  }
  if (std::ranges::any_of(value, is_control) || !text::is_utf8(value)) {
    throw invalid(given, "it contains unprintable bytes", "use plain text");
  }
  return value;
}

std::size_t parse_word(const Given& given) {
  const std::string_view text = checked_text(given);
  const auto& words = given.key.words;
  const auto found = std::ranges::find(words, text);
  if (found == words.end()) {
    const auto known_elsewhere = value_synonym(given.key.key, text);
    throw invalid(given, "unknown value",
                  known_elsewhere.empty() ? text::suggestion(text, words) : known_elsewhere);
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::uint32_t parse_number(const Given& given, std::string_view text, Limits limits) {
  std::uint32_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = fault != std::errc::invalid_argument && end == text.data() + text.size();
  const std::string remedy = fmt::format("use {} to {}", limits.min, limits.max);
  if (!is_number) {
    throw invalid(given, fmt::format("{} is not a whole number", text::in_quotes(text)), remedy);
  }
  if (fault == std::errc{} && number < limits.min && !limits.why_below.empty()) {
    throw invalid(given, limits.why_below, remedy);
  }
  if (fault != std::errc{} || number < limits.min || number > limits.max) {
    throw invalid(given, fmt::format("{} is out of range", text::in_quotes(text)), remedy);
  }
  return number;
}

std::chrono::seconds parse_time(const Given& given, std::string_view text, TimeLimits limits) {
  const auto unit = given.key.unit;
  const auto remedy =
      fmt::format("use {} to {}, {}; a number without a unit means {}", text::to_text(limits.min),
                  text::to_text(limits.max), text::duration_forms,
                  unit == std::chrono::minutes(1) ? "minutes" : "seconds");
  const auto time = text::duration(text, unit);
  if (!time)
    throw invalid(given, fmt::format("{} is not a duration", text::in_quotes(text)), remedy);
  if (*time < limits.min && !limits.why_below.empty())
    throw invalid(given, limits.why_below, remedy);
  if (*time < limits.min || *time > limits.max)
    throw invalid(given, fmt::format("{} is out of range", text::in_quotes(text)), remedy);
  return *time;
}

std::vector<std::string_view> split_list(const Given& given) {
  auto parts = text::split(checked_text(given), '+');
  if (parts.size() > max_list) {
    throw invalid(given, "the list is too long", fmt::format("list at most {}", max_list));
  }
  if (std::ranges::any_of(parts, &std::string_view::empty)) {
    throw invalid(given, "the list has an empty item", "remove a '+'");
  }
  return parts;
}

}  // namespace muster::option
