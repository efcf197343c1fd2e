#include "worker/environment.hpp"

#include "worker/error.hpp"

#include <charconv>

#include <unistd.h>

namespace muster::worker {

Environment Environment::of_process() {
  Map variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    // Of two with one name the first counts, as in getenv().
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return Environment{std::move(variables)};
}

std::string_view Environment::get(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? std::string_view{} : std::string_view{found->second};
}

std::optional<int> Environment::number(std::string_view name, int max) const {
  const auto text = get(name);
  if (text.empty()) return std::nullopt;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && value >= 0 && value <= max) {
    return value;
  }
  throw Error{MUSTER_ERR_ENVIRONMENT, std::string{name} + "=" + std::string{text.substr(0, 64)} +
                                          " is not a number from 0 to " + std::to_string(max) +
                                          "; unset or correct it"};
}

}  // namespace muster::worker
