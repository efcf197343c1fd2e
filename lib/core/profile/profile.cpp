// Parses the text of one profile file.
#include "core/profile/profile.hpp"

#include "core/error.hpp"
#include "core/file/yaml.hpp"
#include "core/option/profile_name.hpp"
#include "core/option/value_words.hpp"
#include "core/text/quote.hpp"
#include "core/text/suggestion.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace muster::profile {
namespace {

constexpr std::array<std::string_view, 9> file_keys{"summary", "mode",       "include",
                                                    "without", "requires",   "gpus",
                                                    "store",   "lighthouse", "environment"};
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

template <option::HasWords Enum>
Enum parse_word(std::string_view key, const file::Yaml& value) {
  const std::string text = value.text();
  std::vector<std::string_view> known;
  for (const option::Word<Enum>& word : option::words_of<Enum>) {
    if (word.text == text) return word.value;
    known.push_back(word.text);
  }
  throw value.error(fmt::format("{} {}: unknown value; {}", key, text::in_quotes(text),
                                text::suggestion(text, known)));
}

std::vector<Requirement> parse_requirements(const file::Yaml& list) {
  std::vector<Requirement> requirements;
  for (const file::Yaml& item : list.items()) {
    requirements.push_back(parse_word<Requirement>("requires", item));
  }
  return requirements;
}

std::string parse_include(const file::Yaml& value) {
  std::string name = value.text();
  if (option::is_profile_name(name)) return name;
  throw value.error(
      fmt::format("include {}: a profile's name may contain only a-z, 0-9, '_' and '-'; "
                  "write a name, not a path",
                  text::in_quotes(name)));
}

std::string parse_summary(const file::Yaml& value) {
  std::string text = value.text();
  if (text.size() <= max_summary_bytes && text.find('\n') == std::string::npos) return text;
  throw value.error(
      fmt::format("summary: help shows it on one line; use a single line of at most {} bytes",
                  max_summary_bytes));
}

std::vector<std::string> parse_lighthouse(const file::Yaml& list) {
  constexpr std::size_t max_words = 64;
  std::vector<std::string> words;
  for (const file::Yaml& item : list.items()) {
    words.push_back(item.text());
    const auto& word = words.back();
    if (word.empty() || word.size() > max_template_bytes || word.find('\0') != std::string::npos) {
      throw item.error(
          fmt::format("lighthouse: a word is empty, too long or contains a NUL byte; use 1 to {} "
                      "bytes of text",
                      max_template_bytes));
    }
    if (words.size() > max_words)
      throw item.error(
          fmt::format("lighthouse: the command has more than {} words; shorten it", max_words));
  }
  return words;
}

void check_variable_name(const std::string& name, const file::Yaml& node) {
  if (is_variable_name(name)) return;
  throw node.error(fmt::format(
      "variable {}: the name of an environment variable may contain only letters, digits and '_', "
      "and must not start with a digit; correct it",
      text::in_quotes(name)));
}

std::vector<std::string> parse_without(const file::Yaml& list) {
  std::vector<std::string> names;
  for (const file::Yaml& item : list.items()) {
    names.push_back(item.text());
    check_variable_name(names.back(), item);
  }
  return names;
}

ProfileVariable parse_variable(const file::Yaml::Entry& entry) {
  check_variable_name(entry.key, entry.key_node);
  if (entry.value.is_null()) {
    throw entry.key_node.error(
        fmt::format("variable {} without a value; write \"\" for an empty one", entry.key));
  }
  const std::string text = entry.value.text();
  if (text.size() > max_template_bytes || text.find('\0') != std::string::npos) {
    throw entry.value.error(
        fmt::format("variable {}: its value is too long or contains a NUL byte; "
                    "use {} bytes of text at most",
                    entry.key, max_template_bytes));
  }
  return {entry.key, Template::parse(text, entry.value.where())};
}

std::vector<ProfileVariable> parse_environment(const file::Yaml& mapping) {
  std::vector<ProfileVariable> variables;
  for (const file::Yaml::Entry& entry : mapping.entries()) {
    variables.push_back(parse_variable(entry));
    if (variables.size() > max_variables) {
      throw entry.key_node.error(
          fmt::format("too many variables: the limit is {}; split the profile", max_variables));
    }
  }
  return variables;
}

}  // namespace

ProfileFile parse_profile(std::string_view text, std::string_view file) {
  ProfileFile profile;
  for (const file::Yaml::Entry& entry : file::Yaml::parse(text, file).entries()) {
    if (entry.key == "summary") {
      profile.summary = parse_summary(entry.value);
    } else if (entry.key == "mode") {
      profile.mode = parse_word<Mode>("mode", entry.value);
    } else if (entry.key == "include") {
      profile.include = parse_include(entry.value);
    } else if (entry.key == "without") {
      profile.without = parse_without(entry.value);
    } else if (entry.key == "requires") {
      profile.requirements = parse_requirements(entry.value);
    } else if (entry.key == "gpus") {
      profile.gpus = parse_word<option::Gpus>("gpus", entry.value);
    } else if (entry.key == "store") {
      profile.store = parse_word<option::Store>("store", entry.value);
    } else if (entry.key == "lighthouse") {
      profile.lighthouse = parse_lighthouse(entry.value);
    } else if (entry.key == "environment") {
      profile.environment = parse_environment(entry.value);
    } else {
      throw unknown_key(entry, "a profile", file_keys);
    }
  }
  return profile;
}

}  // namespace muster::profile
