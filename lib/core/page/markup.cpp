#include "core/page/markup.hpp"

#include "core/contains.hpp"
#include "core/report/screen.hpp"
#include "core/text/quote.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::page {
namespace {

std::string_view entity(char character) {
  switch (character) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

// Unicode's directional marks, embeddings and isolates, its line separators, and its noncharacters.
bool misleads(std::string_view character) {
  using namespace std::string_view_literals;
  static constexpr auto all = {"\u061c"sv, "\u200e"sv, "\u200f"sv, "\u2028"sv, "\u2029"sv,
                               "\u202a"sv, "\u202b"sv, "\u202c"sv, "\u202d"sv, "\u202e"sv,
                               "\u2066"sv, "\u2067"sv, "\u2068"sv, "\u2069"sv, "\ufeff"sv,
                               "\ufffe"sv, "\uffff"sv};
  return contains(all, character);
}

std::string in_hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return text;
}

// `text` is not empty; the bytes that were read are removed from it.
std::string next_character(std::string_view& text) {
  const auto length = std::max<std::size_t>(1, text::character_length(text));
  const auto character = text.substr(0, length);
  text.remove_prefix(length);
  if (length == 1) {
    if (const auto name = entity(character.front()); !name.empty()) return std::string(name);
  }
  return misleads(character) ? in_hexadecimal(character) : text::printable_path(character);
}

bool is_plain(char byte) {
  return byte >= ' ' && byte <= '~' && entity(byte).empty();
}

// The length of the sequence "ESC [ digits m" with which `text` begins; 0 if it begins with anything else.
std::size_t colour_length(std::string_view text) {
  constexpr std::size_t max_bytes = 64;
  if (!text.starts_with("\x1b[")) return 0;
  const auto end = text.substr(0, max_bytes).find_first_not_of("0123456789;:", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

std::string escaped_line(std::string_view line) {
  std::string shown;
  while (!line.empty()) {
    if (const auto colour = colour_length(line); colour > 0) {
      line.remove_prefix(colour);
    } else if (line.front() == '\t') {
      shown += '\t';
      line.remove_prefix(1);
    } else {
      shown += next_character(line);
    }
  }
  return shown;
}

bool stays_in_url(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == '_' || byte == '~';
}

}  // namespace

std::string escaped(std::string_view text) {
  if (std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string shown;
  while (!text.empty()) shown += next_character(text);
  return shown;
}

std::string escaped_sentence(std::string_view text) {
  constexpr std::size_t max_columns = 300;
  return escaped(report::fit(text, max_columns));
}

std::string escaped_block(std::string_view text) {
  std::string shown;
  for (const auto line : report::lines_of(text)) {
    if (!shown.empty()) shown += '\n';
    shown += escaped_line(line);
  }
  return shown;
}

std::string url_part(std::string_view name) {
  std::string url;
  for (const char byte : name) {
    if (stays_in_url(byte)) {
      url += byte;
    } else {
      url += fmt::format("%{:02X}", static_cast<unsigned char>(byte));
    }
  }
  return url;
}

std::string anchor_of(std::string_view node) {
  auto anchor = "node-" + url_part(node);
  std::ranges::replace(anchor, '%', '_');
  return anchor;
}

std::string linked(const std::string& url, const std::string& text) {
  return url.empty() ? text : fmt::format("<a href='{}'>{}</a>", url, text);
}

}  // namespace muster::page
