#include "core/text/message.hpp"

#include <array>

#include <fmt/format.h>

namespace muster::text {
namespace {

constexpr std::string_view program = "muster: ";

struct Word {
  Severity severity;
  std::string_view text;
  std::string_view color;  // bold, as in the output of gcc and cargo
};

constexpr std::array words{Word{Severity::error, "error: ", "1;31"},
                           Word{Severity::warning, "warning: ", "1;33"},
                           Word{Severity::hint, "hint: ", "1;36"}};

std::string word_of(Severity severity, bool color) {
  for (const auto& word : words) {
    if (word.severity != severity) continue;
    if (!color) return std::string(word.text);
    const auto name = word.text.substr(0, word.text.size() - 1);
    return fmt::format("\033[{}m{}\033[0m ", word.color, name);
  }
  return {};
}

}  // namespace

std::string to_line(Severity severity, std::string_view text, bool color) {
  return fmt::format("{}{}{}", program, word_of(severity, color), text);
}

std::optional<Message> message_from(std::string_view line) {
  if (!line.starts_with(program)) return std::nullopt;
  line.remove_prefix(program.size());
  for (const auto& word : words) {
    if (line.starts_with(word.text))
      return Message{word.severity, std::string(line.substr(word.text.size()))};
  }
  return Message{Severity::progress, std::string(line)};
}

}  // namespace muster::text
