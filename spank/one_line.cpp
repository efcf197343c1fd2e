#include "spank/one_line.hpp"

#include "wire/messages.hpp"

#include <algorithm>
#include <cstddef>

namespace muster::spank {
namespace {

constexpr char hex_digits[] = "0123456789abcdef";

unsigned byte(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

std::size_t announced_length(unsigned first) {
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

// C0, DEL and C1, and overlong encodings of them.
bool is_control(unsigned first, unsigned second) {
  if (first < 0x80) return first < 0x20 || first == 0x7F;
  return ((first == 0xC2 || first == 0xE0) && second < 0xA0) || (first == 0xF0 && second < 0x90);
}

// The length in bytes of the first character; 0 if a terminal might interpret it or not know it.
std::size_t shown_length(std::string_view text) {
  const auto first = byte(text, 0);
  const auto length = announced_length(first);
  if (length == 0 || length > text.size()) return 0;
  const auto rest = text.substr(1, length - 1);
  const bool whole = std::all_of(rest.begin(), rest.end(), [](char part) {
    return (static_cast<unsigned char>(part) & 0xC0U) == 0x80U;
  });
  return whole && !is_control(first, length > 1 ? byte(text, 1) : 0) ? length : 0;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    if (line.size() >= wire::max_line_bytes) return line + "...";
    const auto length = shown_length(text);
    if (length > 0) {
      line.append(text.substr(0, length));
    } else {
      const auto hidden = byte(text, 0);
      line.append("\\x");
      line.push_back(hex_digits[hidden >> 4U]);
      line.push_back(hex_digits[hidden & 0xFU]);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return line;
}

}  // namespace muster::spank
