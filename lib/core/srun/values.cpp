#include "core/srun/values.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace muster::srun {

// In upper or lower case, possibly abbreviated, up to a ',' or ':'.
bool is_arbitrary(std::string_view distribution) {
  constexpr std::string_view word = "arbitrary";
  const auto first = distribution.substr(0, distribution.find_first_of(",:"));
  const auto is_same = [](char a, char b) { return std::tolower(a) == b; };
  return !first.empty() && first.size() <= word.size() &&
         std::equal(first.begin(), first.end(), word.begin(), is_same);
}

bool places_tasks(const Line& line) {
  const auto* const option = line.last("distribution");
  return option != nullptr && option->value && is_arbitrary(*option->value);
}

// A "k" after the number multiplies it by 1024, an "m" by 1024 * 1024.
std::optional<std::uint32_t> leading_number(std::string_view text) {
  constexpr std::uint64_t kilo = 1024;
  std::uint32_t value = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{}) return std::nullopt;
  const auto unit = stop == end ? 0 : std::tolower(*stop);
  const auto scaled = value * (unit == 'k' ? kilo : unit == 'm' ? kilo * kilo : 1);
  if (scaled > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(scaled);
}

}  // namespace muster::srun
