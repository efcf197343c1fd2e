#include "core/remark/stray_value.hpp"

#include "core/error.hpp"
#include "core/option/option.hpp"
#include "core/text/quote.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::remark {
namespace {

// getopt_long takes an abbreviation too, as long as it cannot be --distribution.
bool is_bare_option(std::string_view word) {
  constexpr std::string_view option = "--distributed";
  constexpr std::string_view shortest = "--distribute";
  return word.starts_with(shortest) && option.starts_with(word);
}

bool is_value(const std::string& word, std::span<const std::string> profiles) {
  try {
    const auto parsed = option::parse_option(word, Origin::option, "--distributed");
    if (parsed.action != option::Action::launch) return true;
    const auto& profile = parsed.layer.profile;
    if (profile) return std::ranges::find(profiles, profile->value) != profiles.end();
    return !parsed.layer.values.empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string stray_value(std::span<const std::string> words, std::size_t program,
                        std::span<const std::string> profiles) {
  if (program == 0 || program >= words.size() || !is_bare_option(words[program - 1])) return {};
  const auto& word = words[program];
  if (!is_value(word, profiles)) return {};
  return fmt::format(
      "--distributed {0}: the program would be {0}, because a value needs '='; did you mean "
      "--distributed={0}?",
      text::printable(word));
}

}  // namespace muster::remark
