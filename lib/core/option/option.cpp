#include "core/option/option.hpp"

#include "core/error.hpp"
#include "core/option/key_table.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace muster::option {
namespace {

constexpr std::string_view environment_variable = "MUSTER_DISTRIBUTED";

bool stands_alone(std::string_view word) {
  return word == "off" || word == "help";
}

// A profile cannot have the name of a key: `--distributed=verbose` is the key.
bool is_profile(std::string_view word) {
  return !stands_alone(word) && word.find('=') == std::string_view::npos &&
         find_key(word) == nullptr;
}

// No key contains '_', but many people will write dry_run.
const KeyInfo& key_of(std::string_view name, std::string_view where) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  const auto* const key = find_key(dashed);
  return key != nullptr ? *key : key_named(name, where);
}

std::pair<Key, std::string> parse_pair(std::string_view word, std::string_view where) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  if (stands_alone(name)) {
    throw Error(fmt::format("{}: '{}' cannot be combined with other words; use --distributed={}",
                            where, name, name));
  }
  const KeyInfo& key = key_of(name, where);
  if (equals != std::string_view::npos) return {key.key, std::string(word.substr(equals + 1))};
  if (key.is_switch) return {key.key, "on"};
  if (key.since == not_yet) {
    throw Error(fmt::format("{}: {}: not in this release; {}", where, key.name, without(key)));
  }
  throw Error(fmt::format("{}: {} without a value: it is not an on/off switch; use {}={}", where,
                          key.name, key.name, key.form));
}

void check_text(std::string_view text, std::string_view where) {
  if (text.size() > max_option_bytes) {
    throw Error(
        fmt::format("{}: {} bytes: the limit is {}; shorten it, or use muster's "
                    "configuration file",
                    where, text.size(), max_option_bytes));
  }
}

void check_words(const std::vector<std::string_view>& words, std::string_view text,
                 std::string_view where) {
  if (std::ranges::none_of(words, &std::string_view::empty)) return;
  throw Error(fmt::format("{}: empty word in {}: a comma separates two words; remove a comma",
                          where, text::in_quotes(text)));
}

}  // namespace

Option parse_option(std::string_view text, Origin origin, std::string_view where) {
  check_text(text, where);
  if (text == "off") return {Action::off, {}};
  if (text == "help") return {Action::help, {}};

  Option option;
  if (text.empty()) return option;
  std::vector<std::string_view> words = text::split(text, ',');
  check_words(words, text, where);
  if (is_profile(words.front())) {
    option.layer.profile = Setting{std::string(words.front()), origin, std::string(where)};
    words.erase(words.begin());
  }
  for (const std::string_view word : words) {
    auto [key, value] = parse_pair(word, where);
    const Setting setting{std::move(value), origin, std::string(where)};
    if (!option.layer.values.emplace(key, setting).second) {
      throw Error(
          fmt::format("{}: {} twice: only one value can apply; remove one", where, to_string(key)));
    }
  }
  return option;
}

Option option_from_environment(const Environment& environment) {
  const auto* const text = environment.if_set(environment_variable);
  if (text == nullptr) return {};
  return parse_option(*text, Origin::user, environment_variable);
}

Layer variables_layer(const Environment& environment) {
  Layer layer;
  for (const KeyInfo& key : keys()) {
    const std::string name = variable_name(key);
    const auto* const value = environment.if_set(name);
    if (value == nullptr) continue;
    check_text(*value, name);
    layer.values.emplace(key.key, Setting{*value, Origin::user, name});
  }
  return layer;
}

std::vector<std::string> variable_names() {
  std::vector<std::string> names;
  for (const KeyInfo& key : keys()) names.push_back(variable_name(key));
  return names;
}

std::string variable_name(const KeyInfo& key) {
  std::string name = "MUSTER_";
  for (const char letter : key.name) {
    const bool lower = letter >= 'a' && letter <= 'z';
    name += letter == '-' ? '_' : static_cast<char>(lower ? letter - 'a' + 'A' : letter);
  }
  return name;
}

}  // namespace muster::option
