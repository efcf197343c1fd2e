#include "core/option/value_parsing.hpp"

#include "core/text/quote.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include <fmt/format.h>

namespace muster {
namespace {

constexpr std::size_t max_list = 1024;
constexpr std::size_t max_value_bytes = 4096;

bool is_control(char letter) {
  return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F;
}

}  // namespace

Error invalid(Key key, const Setting& setting, std::string_view why, std::string_view remedy) {
  return Error{fmt::format("{}: {}={}: {}; {}", setting.where, to_string(key),
                           printable(setting.value), why, remedy)};
}

void check_text(Key key, const Setting& setting) {
  const std::string_view value = setting.value;
  if (value.empty()) {
    const std::string_view form = info(key).is_switch ? "on|off" : info(key).form;
    throw invalid(key, setting, "empty value", fmt::format("use {}={}", to_string(key), form));
  }
  if (value.size() > max_value_bytes) {
    throw invalid(key, setting, fmt::format("longer than {} bytes", max_value_bytes), "shorten it");
  }
  if (value.find(',') != std::string_view::npos) {
    throw invalid(key, setting, "a comma ends a value", "use '+' between the parts of a list");
  }
  if (std::ranges::any_of(value, is_control) || !is_utf8(value)) {
    throw invalid(key, setting, "it holds bytes that are not printable", "use plain text");
  }
}

std::uint32_t parse_number(Key key, const Setting& setting, std::string_view text, Limits limits) {
  std::uint32_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = fault != std::errc::invalid_argument && end == text.data() + text.size();
  const std::string remedy = fmt::format("use {} to {}", limits.least, limits.most);
  if (!is_number) {
    throw invalid(key, setting, fmt::format("{} is not a whole number", in_quotes(text)), remedy);
  }
  if (fault == std::errc{} && number < limits.least && !limits.why_below.empty()) {
    throw invalid(key, setting, limits.why_below, remedy);
  }
  if (fault != std::errc{} || number < limits.least || number > limits.most) {
    throw invalid(key, setting, fmt::format("{} is out of range", in_quotes(text)), remedy);
  }
  return number;
}

std::vector<std::string_view> split_list(Key key, const Setting& setting) {
  std::vector<std::string_view> parts;
  std::string_view rest = setting.value;
  for (std::size_t plus = rest.find('+'); plus != std::string_view::npos; plus = rest.find('+')) {
    parts.push_back(rest.substr(0, plus));
    rest.remove_prefix(plus + 1);
  }
  parts.push_back(rest);
  if (parts.size() > max_list) {
    throw invalid(key, setting, "the list is too long", fmt::format("name {} at most", max_list));
  }
  if (std::ranges::any_of(parts, &std::string_view::empty)) {
    throw invalid(key, setting, "the list has an empty part", "remove a '+'");
  }
  return parts;
}

}  // namespace muster
