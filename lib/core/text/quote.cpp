#include "core/text/quote.hpp"

#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

namespace muster::text {
namespace {

constexpr std::size_t max_shown = 80;

std::uint8_t byte(std::string_view text, std::size_t index) {
  return static_cast<std::uint8_t>(text[index]);
}

std::size_t announced_length(std::uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

// What the first byte requires of the second, beyond being a continuation byte: no overlong form, no
// surrogate, nothing above U+10FFFF.
bool second_fits(std::uint8_t first, std::uint8_t second) {
  switch (first) {
    case 0xE0:
      return second >= 0xA0;
    case 0xED:
      return second <= 0x9F;
    case 0xF0:
      return second >= 0x90;
    case 0xF4:
      return second <= 0x8F;
    default:
      return true;
  }
}

// C0, DEL and C1 characters: a terminal would interpret them.
bool is_control(std::string_view character) {
  if (character.size() == 1) return byte(character, 0) < 0x20 || byte(character, 0) == 0x7F;
  return character.size() == 2 && byte(character, 0) == 0xC2 && byte(character, 1) < 0xA0;
}

std::string escaped(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text += fmt::format("\\x{:02x}", byte(bytes, i));
  }
  return text;
}

std::string escape_controls(std::string_view text, std::size_t limit) {
  std::string shown;
  while (!text.empty()) {
    if (shown.size() >= limit) return shown + "...";
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    const bool plain = length != 0 && !is_control(character);
    shown += plain ? std::string(character) : escaped(character);
    text.remove_prefix(character.size());
  }
  return shown;
}

}  // namespace

std::size_t character_length(std::string_view text) {
  const std::size_t length = announced_length(byte(text, 0));
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(text, i) & 0xC0U) != 0x80U) return 0;
  }
  return length == 1 || second_fits(byte(text, 0), byte(text, 1)) ? length : 0;
}

bool starts_character(char byte) {
  return (static_cast<std::uint8_t>(byte) & 0xC0U) != 0x80U;
}

std::string printable(std::string_view text) {
  return escape_controls(text, max_shown);
}

std::string printable_path(std::string_view path) {
  return escape_controls(path, std::string::npos);
}

std::string in_quotes(std::string_view text) {
  return fmt::format("'{}'", printable(text));
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace muster::text
