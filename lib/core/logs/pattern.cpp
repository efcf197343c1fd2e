#include "core/logs/pattern.hpp"

#include "core/error.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include <fmt/format.h>

namespace muster::logs {
namespace {

constexpr unsigned max_width = 10;  // Slurm's

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string filled(std::string text, unsigned width) {
  if (!is_number(text) || text.size() >= width) return text;
  return std::string(width - text.size(), '0') + text;
}

struct Pattern {
  char letter = 0;  // 0: the name ends before the letter
  unsigned width = 0;
  std::size_t end = 0;
};

// `at` is the position after the %.
Pattern pattern_at(std::string_view name, std::size_t at) {
  const auto letter = std::min(name.find_first_not_of("0123456789", at), name.size());
  const auto digits = name.substr(at, letter - at);
  // A number with too many digits exceeds the limit.
  const auto width = digits.empty() ? 0 : text::number<unsigned>(digits).value_or(max_width);
  if (letter == name.size()) return {.end = letter};
  return {name[letter], std::min(width, max_width), letter + 1};
}

[[noreturn]] void refuse(std::string_view key, std::string_view name, char letter) {
  const auto value = text::printable_path(name);
  if (letter == 0) {
    throw Error(fmt::format("{}={}: a letter is missing after %; write %% for a %", key, value));
  }
  const auto shown = text::printable(std::string_view(&letter, 1));
  if (letter == 't' || letter == 'n') {
    throw Error(fmt::format(
        "{}={}: %{} is different for each {}, and this name is the same for all; leave it out", key,
        value, shown, letter == 't' ? "task" : "node"));
  }
  throw Error(fmt::format(
      "{}={}: there is no pattern %{}; use %j (job), %A and %a (an array's job and task), %s (step), %J "
      "(job.step), %x (job name), %u (user), %N (node of the script), %r (earlier runs of the job) or %% "
      "(a %)",
      key, value, shown));
}

}  // namespace

std::string expanded(std::string_view key, std::string_view name, const Meaning& meaning) {
  std::string text;
  std::size_t at = 0;
  while (at < name.size()) {
    if (name[at] != '%') {
      text += name[at++];
      continue;
    }
    const auto pattern = pattern_at(name, at + 1);
    if (pattern.letter == '%') {
      text += '%';
    } else {
      const auto value = pattern.letter == 0 ? std::nullopt : meaning(pattern.letter);
      if (!value) refuse(key, name, pattern.letter);
      text += filled(*value, pattern.width);
    }
    at = pattern.end;
  }
  return text;
}

std::string letters_in(std::string_view name) {
  std::string letters;
  for (auto at = name.find('%'); at != std::string_view::npos;) {
    const auto pattern = pattern_at(name, at + 1);
    if (pattern.letter != 0 && pattern.letter != '%') letters += pattern.letter;
    at = name.find('%', pattern.end);
  }
  return letters;
}

}  // namespace muster::logs
