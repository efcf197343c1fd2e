#include "core/record/limits.hpp"

#include "core/text/quote.hpp"

#include <algorithm>

namespace muster::record {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

std::string as_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const auto length = text::character_length(text);
    valid += length == 0 ? replacement : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return valid;
}

bool is_control(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return code < 0x20 || code == 0x7F;
}

}  // namespace

std::string fitting(std::string_view text, First limit) {
  auto valid = as_utf8(text.substr(0, limit.size));
  auto size = std::min(valid.size(), limit.size);
  while (size < valid.size() && size > 0 && !text::starts_character(valid[size])) --size;
  valid.resize(size);
  return valid;
}

std::string fitting(std::string_view text, Last limit) {
  const auto valid = as_utf8(text.substr(text.size() - std::min(text.size(), limit.size)));
  auto begin = valid.size() - std::min(valid.size(), limit.size);
  while (begin < valid.size() && begin > 0 && !text::starts_character(valid[begin])) ++begin;
  return valid.substr(begin);
}

std::string fitting(std::string_view text, Line limit) {
  auto line = fitting(text, First{limit.size});
  std::ranges::replace_if(line, is_control, ' ');
  return line;
}

bool fits(std::string_view text, First limit) {
  return text.size() <= limit.size && text::is_utf8(text);
}

bool fits(std::string_view text, Last limit) {
  return fits(text, First{limit.size});
}

bool fits(std::string_view text, Line limit) {
  return fits(text, First{limit.size}) && std::ranges::none_of(text, is_control);
}

}  // namespace muster::record
