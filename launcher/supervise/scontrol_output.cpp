#include "launcher/supervise/scontrol_output.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace muster::supervise {

std::string_view field(std::string_view text, std::string_view name) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find_first_of(" \n", begin), text.size());
    const auto word = text.substr(begin, end - begin);
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=') {
      return word.substr(name.size() + 1);
    }
    begin = end + 1;
  }
  return {};
}

// "KillWait                = 30 sec"
std::optional<unsigned> config_number(std::string_view config, std::string_view name) {
  const auto begin = config.find(std::string(name) + ' ');
  if (begin == std::string_view::npos) return std::nullopt;
  const auto line = config.substr(begin, config.find('\n', begin) - begin);
  const auto digits = line.find_first_of("0123456789");
  unsigned value = 0;
  if (digits == std::string_view::npos ||
      std::from_chars(line.data() + digits, line.data() + line.size(), value).ec != std::errc{}) {
    return std::nullopt;
  }
  return value;
}

}  // namespace muster::supervise
