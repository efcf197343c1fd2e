#include "core/remark/stray_value.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/option/option.hpp"
#include "core/text/quote.hpp"

#include <fmt/format.h>

namespace muster::remark {
namespace {

// getopt_long also accepts abbreviations, unless they may stand for --distribution.
bool is_our_option(std::string_view word) {
  constexpr std::string_view option = "--distributed";
  constexpr std::string_view shortest = "--distribute";
  const auto name = word.substr(0, word.find('='));
  return name.starts_with(shortest) && option.starts_with(name);
}

std::string_view value_of(std::string_view word) {
  const auto equals = word.find('=');
  return equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
}

bool is_value(const std::string& word, std::span<const std::string> profiles) {
  if (word == "python") return false;  // a key, but far more often the program
  try {
    const auto parsed = option::parse_option(word, Origin::option, "--distributed");
    if (parsed.action != option::Action::launch) return true;
    const auto& profile = parsed.layer.profile;
    if (profile) return contains(profiles, profile->value);
    return !parsed.layer.values.empty();
  } catch (const Error&) {
    return false;
  }
}

// `--distributed=torch bind=core`. A word without '=' may be a program.
std::string further_value(std::string_view value, const std::string& word) {
  if (word.find('=') == std::string::npos) return {};
  try {
    if (option::parse_option(word, Origin::option, "--distributed").layer.profile) return {};
  } catch (const Error&) {
    return {};
  }
  return fmt::format(
      "--distributed={0} {1}: the program would be {1}, because a space ends the value; did you mean "
      "--distributed={0},{1}?",
      text::printable(value), text::printable(word));
}

}  // namespace

std::string stray_value(std::span<const std::string> words, std::size_t program,
                        std::span<const std::string> profiles) {
  if (program == 0 || program >= words.size() || !is_our_option(words[program - 1])) return {};
  const auto& word = words[program];
  const auto value = value_of(words[program - 1]);
  if (!value.empty()) return further_value(value, word);
  if (!is_value(word, profiles)) return {};
  if (words[program - 1].ends_with('=')) {
    return fmt::format(
        "--distributed= {0}: the program would be {0}, because a space ends the value; did you mean "
        "--distributed={0}?",
        text::printable(word));
  }
  return fmt::format(
      "--distributed {0}: the program would be {0}, because a value needs '='; did you mean "
      "--distributed={0}?",
      text::printable(word));
}

}  // namespace muster::remark
