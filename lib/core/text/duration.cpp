#include "core/text/duration.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <fmt/format.h>

namespace muster::text {
namespace {

using std::chrono::seconds;

struct Unit {
  std::string_view word;
  seconds length;
};

constexpr seconds minute{60};
constexpr seconds hour = 60 * minute;
constexpr seconds day = 24 * hour;

constexpr std::array units{
    Unit{"d", day},           Unit{"day", day},           Unit{"days", day},
    Unit{"h", hour},          Unit{"hr", hour},           Unit{"hrs", hour},
    Unit{"hour", hour},       Unit{"hours", hour},        Unit{"m", minute},
    Unit{"min", minute},      Unit{"mins", minute},       Unit{"minute", minute},
    Unit{"s", seconds{1}},    Unit{"minutes", minute},    Unit{"sec", seconds{1}},
    Unit{"secs", seconds{1}}, Unit{"second", seconds{1}}, Unit{"seconds", seconds{1}}};

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

bool is_letter(char letter) {
  return letter >= 'a' && letter <= 'z';
}

seconds times(std::uint64_t number, seconds length) {
  const auto most = static_cast<std::uint64_t>(max_duration / length);
  return number >= most ? max_duration : static_cast<std::int64_t>(number) * length;
}

seconds plus(seconds one, seconds other) {
  return std::min(one + other, max_duration);
}

// Takes the digits at the start of `text`; no value if there are none.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  constexpr std::uint64_t large = 1'000'000'000'000'000;
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  std::uint64_t number = 0;
  while (!text.empty() && is_digit(text.front())) {
    number = std::min(number * 10 + static_cast<std::uint64_t>(text.front() - '0'), large);
    text.remove_prefix(1);
  }
  return number;
}

// Takes the word at the start of `text`.
std::optional<seconds> take_unit(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_letter);
  const auto word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  const auto found = std::ranges::find(units, word, &Unit::word);
  if (found == units.end()) return std::nullopt;
  text.remove_prefix(word.size());
  return found->length;
}

std::optional<seconds> with_units(std::string_view text) {
  seconds time{0};
  auto larger = seconds::max();
  while (!text.empty()) {
    const auto number = take_number(text);
    const auto length = number ? take_unit(text) : std::nullopt;
    if (!length || *length >= larger) return std::nullopt;
    larger = *length;
    time = plus(time, times(*number, *length));
  }
  return time;
}

// Takes ":MM", two digits below 60, from the start of `text`.
std::optional<std::uint64_t> take_sixtieth(std::string_view& text) {
  if (text.size() < 3 || text.front() != ':' || !is_digit(text[1]) || !is_digit(text[2]))
    return std::nullopt;
  auto digits = text.substr(1, 2);
  const auto number = take_number(digits);
  text.remove_prefix(3);
  return *number < 60 ? number : std::nullopt;
}

// M:SS is not accepted, because many would read it as H:MM; nor is D-HH, which looks like a range.
std::optional<seconds> as_slurm_writes(std::string_view text) {
  seconds days{0};
  const bool has_days = text.find('-') != std::string_view::npos;
  if (has_days) {
    const auto number = take_number(text);
    if (!number || text.front() != '-') return std::nullopt;
    text.remove_prefix(1);
    days = times(*number, day);
  }
  const auto hours = take_number(text);
  const auto minutes = hours ? take_sixtieth(text) : std::nullopt;
  if (!minutes) return std::nullopt;
  auto time = plus(days, plus(times(*hours, hour), times(*minutes, minute)));
  if (text.empty()) return has_days ? std::optional(time) : std::nullopt;
  const auto rest = take_sixtieth(text);
  if (!rest || !text.empty()) return std::nullopt;
  return plus(time, times(*rest, seconds{1}));
}

}  // namespace

std::optional<seconds> duration(std::string_view text, seconds unit) {
  if (text.empty()) return std::nullopt;
  if (text.find(':') != std::string_view::npos) return as_slurm_writes(text);
  if (!std::ranges::all_of(text, is_digit)) return with_units(text);
  return times(*take_number(text), unit);
}

std::string to_text(seconds time) {
  constexpr std::array shown{Unit{"h", hour}, Unit{"m", minute}, Unit{"s", seconds{1}}};
  std::string text;
  for (const auto& unit : shown) {
    if (time >= unit.length) text += fmt::format("{}{}", time / unit.length, unit.word);
    time %= unit.length;
  }
  return text.empty() ? "0s" : text;
}

std::string to_text(seconds time, seconds unit) {
  return time % unit == seconds{0} ? fmt::to_string(time / unit) : fmt::format("{}s", time.count());
}

}  // namespace muster::text
