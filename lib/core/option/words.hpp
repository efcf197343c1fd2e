// The words for the values of a type, in one table that the parser, printer and help all read.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

namespace muster::option {

template <class Value>
struct Word {
  std::string_view text;
  Value value;
};

template <class Value>
Word(std::string_view, Value) -> Word<Value>;

// Specialize it next to each type whose values are words; other types have no words.
template <class Value>
inline constexpr auto words_of = std::array<Word<Value>, 0>{};

template <>
inline constexpr auto words_of<bool> = std::array{Word{"on", true}, Word{"off", false}};

template <class Value>
concept HasWords = !words_of<Value>.empty();

// Empty for a value without a word.
template <HasWords Value>
constexpr std::string_view word_for(Value value) {
  for (const auto& word : words_of<Value>) {
    if (word.value == value) return word.text;
  }
  return {};
}

template <HasWords Enum>
requires std::is_enum_v<Enum>
constexpr std::string_view to_string(Enum value) {
  return word_for(value);
}

}  // namespace muster::option
