#include "worker/environment.hpp"

#include "worker/error.hpp"

#include <charconv>
#include <cstring>

#include <unistd.h>

namespace muster::worker {

Environment::Environment(const Map& variables) {
  for (const auto& [name, value] : variables) add(name, value);
}

Environment Environment::of_process() {
  Environment environment;
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry, ++count) {
    bytes += std::strlen(*entry);
  }
  environment.text_.reserve(bytes);
  environment.variables_.reserve(count);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.add(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

void Environment::add(std::string_view name, std::string_view value) {
  variables_.push_back({text_.size(), name.size(), value.size()});
  text_.append(name).append(value);
}

// If two variables have the same name, the first one counts, as in getenv().
std::optional<std::string_view> Environment::find(std::string_view name) const {
  for (const auto& variable : variables_) {
    const auto both = std::string_view{text_}.substr(variable.begin,
                                                     variable.name_length + variable.value_length);
    if (variable.name_length == name.size() && both.starts_with(name)) {
      return both.substr(name.size());
    }
  }
  return std::nullopt;
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
