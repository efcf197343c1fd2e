#include "core/option/bounds.hpp"

#include "core/option/conversion.hpp"
#include "core/option/key_table.hpp"
#include "core/text/duration.hpp"

#include <array>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

namespace muster::option {
namespace {

constexpr std::array<std::string_view, 2> forms_of_numbers{"N", "TIME"};

bool is_beyond(const std::map<Key, Setting>& bounds, Key key, std::uint64_t number, bool above) {
  const auto bound = bounds.find(key);
  if (bound == bounds.end()) return false;
  const auto limit = number_of(key, bound->second);
  return limit && (above ? number > *limit : number < *limit);
}

}  // namespace

std::optional<std::uint64_t> number_of(Key key, const Setting& setting) {
  bool is_number = false;
  for (const auto form : forms_of_numbers) is_number = is_number || info(key).form == form;
  if (!is_number) return std::nullopt;
  const auto text = canonical(key, setting);
  if (const auto unit = info(key).unit; unit.count() > 0) {
    const auto time = text::duration(text, unit);
    return time ? std::optional(static_cast<std::uint64_t>(time->count())) : std::nullopt;
  }
  std::uint64_t number = 0;
  const auto* const last = text.data() + text.size();
  const auto [end, fault] = std::from_chars(text.data(), last, number);
  if (fault != std::errc{} || end != last) return std::nullopt;
  return number;
}

std::optional<BrokenBound> broken_bound(Key key, const Setting& setting, const Policy& policy) {
  const auto number = number_of(key, setting);
  if (!number) return std::nullopt;
  if (is_beyond(policy.max, key, *number, true)) {
    const auto& bound = policy.max.at(key);
    return BrokenBound{fmt::format("at most {}", canonical(key, bound)), &bound};
  }
  if (is_beyond(policy.min, key, *number, false)) {
    const auto& bound = policy.min.at(key);
    return BrokenBound{fmt::format("at least {}", canonical(key, bound)), &bound};
  }
  return std::nullopt;
}

}  // namespace muster::option
