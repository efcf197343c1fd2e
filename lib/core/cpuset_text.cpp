// Parses and prints the list syntax of CPU sets: "0-7,64-71".
#include "core/cpuset.hpp"
#include "core/error.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <charconv>

#include <fmt/format.h>

namespace muster {
namespace {

struct Range {
  unsigned first;
  unsigned last;
};

[[noreturn]] void refuse(std::string_view list, std::string_view why) {
  throw Error(fmt::format("CPU list {} {}; write it like 0-7,64-71", text::in_quotes(list), why));
}

std::string_view without_outer_space(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const auto first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

unsigned parse_index(std::string_view digits, std::string_view list) {
  unsigned value = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range ||
      (error == std::errc{} && value >= CpuSet::index_limit))
    refuse(list, fmt::format("has an index above {}", CpuSet::index_limit - 1));
  if (error != std::errc{} || rest != digits.data() + digits.size())
    refuse(list, "is not a list of numbers");
  return value;
}

Range parse_range(std::string_view item, std::string_view list) {
  const auto dash = item.find('-');
  const unsigned first = parse_index(item.substr(0, dash), list);
  if (dash == std::string_view::npos) return {first, first};
  const unsigned last = parse_index(item.substr(dash + 1), list);
  if (last < first) refuse(list, "has a range that runs backwards");
  return {first, last};
}

void append_range(std::string& text, Range range) {
  if (!text.empty()) text += ',';
  text += text::range_text(range.first, range.last);
}

}  // namespace

CpuSet CpuSet::parse(std::string_view list) {
  CpuSet set;
  std::string_view rest = without_outer_space(list);
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const Range range = parse_range(rest.substr(0, comma), list);
    for (unsigned index = range.first; index <= range.last; ++index) set.add(index);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
    if (rest.empty()) refuse(list, "ends with a comma");
  }
  return set;
}

std::string CpuSet::to_string() const {
  std::string text;
  std::optional<Range> open;
  for (const unsigned index : *this) {
    if (open && index == open->last + 1) {
      open->last = index;
      continue;
    }
    if (open) append_range(text, *open);
    open = Range{index, index};
  }
  if (open) append_range(text, *open);
  return text;
}

}  // namespace muster
