// The table of keys.hpp without its types. Names and meanings: keys.hpp. Defaults: values.hpp and
// value_types.hpp.
#include "core/option/key_table.hpp"

#include "core/error.hpp"
#include "core/option/keys.hpp"
#include "core/option/synonyms.hpp"
#include "core/option/value_kinds.hpp"
#include "core/option/value_words.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "core/text/suggestion.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace muster::option {
namespace {

template <class Value>
std::vector<std::string_view> words() {
  std::vector<std::string_view> texts;
  for (const auto& word : words_of<Value>) texts.push_back(word.text);
  return texts;
}

template <class Value>
std::string form_of(const Entry<Value>& entry) {
  if (std::is_same_v<Value, bool>) return {};
  if (!HasWords<Value>) return std::string(entry.form);
  return text::join(words<Value>(), "|");
}

template <std::size_t Index>
inline constexpr const auto& entry_at = std::get<Index>(entries);

template <std::size_t Index>
using ValueAt = std::remove_cvref_t<decltype(std::declval<Values>().*entry_at<Index>.field)>;

template <std::size_t Index>
void read(Values& values, const KeyInfo& key, const Setting& setting) {
  values.*entry_at<Index>.field = ValueKind<ValueAt<Index>>::parse({key, setting});
}

template <std::size_t Index>
std::string write(const Values& values) {
  const auto& entry = entry_at<Index>;
  return ValueKind<ValueAt<Index>>::print(values.*entry.field, entry.none);
}

template <std::size_t Index>
KeyInfo make_info() {
  constexpr const auto& entry = entry_at<Index>;
  return {
      .key = Key(entry.name),
      .name = entry.name,
      .form = form_of(entry),
      .default_text = write<Index>(Values{}),
      .needs = entry.needs,
      .meaning = entry.meaning,
      .since = entry.since,
      .none = entry.none,
      .words = words<ValueAt<Index>>(),
      .is_switch = std::is_same_v<ValueAt<Index>, bool>,
      .unit = unit_of<ValueAt<Index>>,
      .range = ValueKind<ValueAt<Index>>::range(),
      .read = &read<Index>,
      .write = &write<Index>,
  };
}

template <std::size_t... Index>
std::array<KeyInfo, sizeof...(Index)> make_table(std::index_sequence<Index...> /*all*/) {
  return {make_info<Index>()...};
}

std::vector<std::string_view> available_names() {
  std::vector<std::string_view> some;
  for (const KeyInfo& key : keys()) {
    if (key.since != not_yet) some.push_back(key.name);
  }
  return some;
}

// Every word that has an answer: keys, including those of later releases, and the words of other launchers.
std::vector<std::string_view> answered_words() {
  auto all = key_synonyms();
  for (const KeyInfo& key : keys()) all.push_back(key.name);
  return all;
}

// A remedy that works in this release: it never suggests a key whose feature does not exist yet.
std::string remedy(std::string_view name) {
  auto known_elsewhere = key_synonym(name);
  if (!known_elsewhere.empty()) return known_elsewhere;
  const auto meant = text::suggested_word(name, answered_words());
  if (!meant) return text::suggestion(name, available_names());
  const auto* const key = find_key(*meant);
  if (key == nullptr) return fmt::format("did you mean {}? {}", *meant, key_synonym(*meant));
  if (key->since == not_yet) {
    return fmt::format("{} is not in this release; {}", *meant, without(*key));
  }
  return fmt::format("did you mean '{}'?", *meant);
}

}  // namespace

std::string without(const KeyInfo& key) {
  return fmt::format("leave {} out", key.name);
}

std::span<const KeyInfo> keys() {
  static const auto table =
      make_table(std::make_index_sequence<std::tuple_size_v<decltype(entries)>>());
  return table;
}

const KeyInfo& info(Key key) {
  return keys()[key.index()];
}

std::string_view to_string(Key key) {
  return info(key).name;
}

const KeyInfo* find_key(std::string_view name) {
  const auto found = std::ranges::find(keys(), name, &KeyInfo::name);
  return found == keys().end() ? nullptr : &*found;
}

const KeyInfo& key_named(std::string_view name, std::string_view where) {
  if (const KeyInfo* key = find_key(name)) return *key;
  throw Error(fmt::format("{}: unknown key {}: no option has this name; {}", where,
                          text::in_quotes(name), remedy(name)));
}

bool is_available(const KeyInfo& key, std::string_view value) {
  return key.since != not_yet || value == key.default_text;
}

}  // namespace muster::option
