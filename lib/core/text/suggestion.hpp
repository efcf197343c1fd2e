// The valid word that a mistyped one was meant to be, for "did you mean".
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::text {

// Insertions, deletions, substitutions and swaps of neighbours, each counted once.
std::size_t edit_distance(std::string_view left, std::string_view right);

// The only candidate that begins with `word`, else the one that a slip of the finger explains
// best; nothing where none is near.
std::optional<std::string_view> suggested_word(std::string_view word,
                                               std::span<const std::string_view> candidates);

// The last part of an error: "did you mean 'bind'?", or all candidates where none is near.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace muster::text
