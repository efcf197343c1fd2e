#include "core/completion/option_value.hpp"

#include "core/contains.hpp"
#include "core/option/key_table.hpp"
#include "core/text/list.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

namespace muster::completion {
namespace {

using Words = std::vector<std::string>;

// Placeholders such as RANK are written in capitals.
bool is_literal(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

// From "TIME[+restart]": returns restart.
Words further_words(std::string_view form) {
  const auto at = form.find("[+");
  if (at == std::string_view::npos) return {};
  const auto word = form.substr(at + 2, form.find(']', at) - at - 2);
  return is_literal(word) ? Words{std::string(word)} : Words{};
}

// The values of a key, limited to those that begin with `typed`.
Words values_of(const option::KeyInfo& key, std::string_view typed) {
  Words words;
  if (const auto plus = typed.rfind('+'); plus != std::string_view::npos) {
    for (const auto& word : further_words(key.form))
      words.push_back(fmt::format("{}{}", typed.substr(0, plus + 1), word));
    return words;
  }
  words.assign(key.words.begin(), key.words.end());
  if (words.empty()) words = literal_words(key.form);
  if (!key.none.empty() && !contains(words, key.none)) words.emplace_back(key.none);
  return words;
}

bool names(std::string_view word, std::string_view key) {
  return word.substr(0, word.find('=')) == key;
}

// The keys that do not occur in `head`, the words before the cursor.
Words keys_behind(std::string_view head) {
  const auto before = text::split(head, ',');
  Words words;
  for (const auto& key : option::keys()) {
    if (key.since == option::not_yet) continue;
    if (std::ranges::any_of(before, [&](auto word) { return names(word, key.name); })) continue;
    words.push_back(fmt::format("{}{}", key.name, key.is_switch ? "" : "="));
  }
  return words;
}

}  // namespace

Words literal_words(std::string_view form) {
  Words words;
  for (const auto word : text::split(form, '|')) {
    if (is_literal(word)) words.emplace_back(word);
  }
  return words;
}

Words option_values(std::string_view typed, const Words& profiles) {
  constexpr std::array<std::string_view, 2> alone{"help", "off"};
  const auto comma = typed.rfind(',');
  const auto head = typed.substr(0, comma == std::string_view::npos ? 0 : comma + 1);
  const auto word = typed.substr(head.size());
  const auto equals = word.find('=');
  Words words;
  if (equals != std::string_view::npos) {
    const auto* const key = option::find_key(word.substr(0, equals));
    if (key == nullptr) return {};
    for (const auto& value : values_of(*key, word.substr(equals + 1)))
      words.push_back(fmt::format("{}={}", key->name, value));
  } else {
    if (head.empty()) {
      words = profiles;
      words.insert(words.end(), alone.begin(), alone.end());
    }
    const auto keys = keys_behind(head);
    words.insert(words.end(), keys.begin(), keys.end());
  }
  std::erase_if(words, [word](const auto& each) { return !each.starts_with(word); });
  for (auto& each : words) each.insert(0, head);
  return words;
}

}  // namespace muster::completion
