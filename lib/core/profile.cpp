// One profile file's text.
#include "core/profile.hpp"

#include "core/error.hpp"
#include "core/nearest.hpp"
#include "core/quote.hpp"
#include "core/yaml.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace muster {
namespace {

constexpr std::array<std::string_view, 4> file_keys{"summary", "mode", "include", "environment"};
constexpr std::array<std::string_view, 2> modes{"rank", "agent"};
constexpr std::size_t max_name_bytes = 64;
constexpr std::size_t max_summary_bytes = 200;
constexpr std::size_t max_template_bytes = 4096;
constexpr std::size_t max_variables = 256;

bool is_lower(char letter) {
  return letter >= 'a' && letter <= 'z';
}
bool is_upper(char letter) {
  return letter >= 'A' && letter <= 'Z';
}
bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

bool is_variable_name(std::string_view name) {
  const auto fits = [](char letter) {
    return is_lower(letter) || is_upper(letter) || is_digit(letter) || letter == '_';
  };
  return !name.empty() && !is_digit(name.front()) && std::ranges::all_of(name, fits);
}

Mode parse_mode(const Yaml& value) {
  const std::string text = value.text();
  const auto* found = std::ranges::find(modes, text);
  if (found != modes.end()) return static_cast<Mode>(found - modes.begin());
  throw value.error(
      fmt::format("mode {}: unknown value; {}", in_quotes(text), suggestion(text, modes)));
}

std::string parse_include(const Yaml& value) {
  std::string name = value.text();
  if (is_profile_name(name)) return name;
  throw value.error(
      fmt::format("include {}: a profile's name has only a-z, 0-9, '_' and '-'; "
                  "write a name, not a path",
                  in_quotes(name)));
}

std::string parse_summary(const Yaml& value) {
  std::string text = value.text();
  if (text.size() <= max_summary_bytes && text.find('\n') == std::string::npos) return text;
  throw value.error(
      fmt::format("summary: help shows it in one line; use {} bytes at most", max_summary_bytes));
}

ProfileVariable parse_variable(const Yaml::Entry& entry) {
  if (!is_variable_name(entry.key)) {
    throw entry.key_node.error(
        fmt::format("variable {}: the name of an environment variable has "
                    "only letters, digits and '_'; correct it",
                    in_quotes(entry.key)));
  }
  if (entry.value.is_null()) {
    throw entry.key_node.error(
        fmt::format("variable {} without a value; write \"\" for an empty one", entry.key));
  }
  const std::string text = entry.value.text();
  if (text.size() > max_template_bytes || text.find('\0') != std::string::npos) {
    throw entry.value.error(
        fmt::format("variable {}: its value is too long or holds a zero byte; "
                    "use {} bytes of text at most",
                    entry.key, max_template_bytes));
  }
  return {entry.key, Template::parse(text, entry.value.where())};
}

std::vector<ProfileVariable> parse_environment(const Yaml& mapping) {
  std::vector<ProfileVariable> variables;
  for (const Yaml::Entry& entry : mapping.entries()) {
    variables.push_back(parse_variable(entry));
    if (variables.size() > max_variables) {
      throw entry.key_node.error(
          fmt::format("too many variables: the limit is {}; split the profile", max_variables));
    }
  }
  return variables;
}

}  // namespace

bool is_profile_name(std::string_view name) {
  const auto fits = [](char letter) {
    return is_lower(letter) || is_digit(letter) || letter == '_' || letter == '-';
  };
  return !name.empty() && name.size() <= max_name_bytes && std::ranges::all_of(name, fits);
}

ProfileFile parse_profile(std::string_view text, std::string_view file) {
  ProfileFile profile;
  for (const Yaml::Entry& entry : Yaml::parse(text, file).entries()) {
    if (entry.key == "summary") {
      profile.summary = parse_summary(entry.value);
    } else if (entry.key == "mode") {
      profile.mode = parse_mode(entry.value);
    } else if (entry.key == "include") {
      profile.include = parse_include(entry.value);
    } else if (entry.key == "environment") {
      profile.environment = parse_environment(entry.value);
    } else {
      throw entry.key_node.error(fmt::format("unknown key {}: not part of a profile; {}",
                                             in_quotes(entry.key),
                                             suggestion(entry.key, file_keys)));
    }
  }
  return profile;
}

}  // namespace muster
