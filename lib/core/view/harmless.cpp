#include "core/view/harmless.hpp"

#include "core/text/quote.hpp"

#include <algorithm>

namespace muster::view {
namespace {

constexpr std::string_view no_colour = "\x1b[0m";
constexpr std::size_t max_sequence_bytes = 64;

bool is_plain(char byte) {
  return (byte >= ' ' && byte <= '~') || byte == '\t';
}

// The length of the sequence ESC [ digits m at the start of `text`; 0 if there is none.
std::size_t colour_length(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const auto end = text.substr(0, max_sequence_bytes).find_first_not_of("0123456789;:", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

std::string harmless(std::string_view line) {
  if (std::ranges::all_of(line, is_plain)) return std::string(line);
  std::string shown;
  bool coloured = false;
  while (!line.empty()) {
    auto length = colour_length(line);
    coloured = coloured || length > 0;
    if (line.front() == '\t') length = 1;
    if (length > 0) {
      shown += line.substr(0, length);
    } else {
      length = std::max<std::size_t>(1, line.find_first_of("\t\x1b", 1));
      length = std::min(length, line.size());
      shown += text::printable_path(line.substr(0, length));
    }
    line.remove_prefix(length);
  }
  return coloured ? shown.append(no_colour) : shown;
}

}  // namespace muster::view
