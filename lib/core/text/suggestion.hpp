// Finds the valid word that a mistyped word was probably meant to be, for "did you mean".
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::text {

// Counts insertions, deletions, substitutions and swaps of neighbouring letters, one each.
std::size_t edit_distance(std::string_view left, std::string_view right);

// The only candidate that begins with `word`; otherwise the candidate that a typing error explains
// best; nullopt if no candidate is close.
std::optional<std::string_view> suggested_word(std::string_view word,
                                               std::span<const std::string_view> candidates);

// The last part of an error: "did you mean 'bind'?", or a list of all candidates if none is close.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace muster::text
