#include "core/text/suggestion.hpp"

#include "core/text/list.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace muster::text {
namespace {

// A longer word is not a typing error, and may come from an attacker.
constexpr std::size_t max_word = 64;
constexpr std::size_t min_abbreviation = 2;

std::size_t allowed_distance(std::string_view word) {
  if (word.size() <= 3) return 1;
  return word.size() <= 6 ? 2 : 3;
}

std::size_t common_prefix(std::string_view left, std::string_view right) {
  return static_cast<std::size_t>(std::ranges::mismatch(left, right).in1 - left.begin());
}

// People mistype the end of a word more often than its beginning: 'of' is off, not on.
bool is_nearer(std::string_view word, std::string_view candidate, std::string_view best) {
  const std::size_t distance = edit_distance(word, candidate);
  const std::size_t best_distance = edit_distance(word, best);
  if (distance != best_distance) return distance < best_distance;
  return common_prefix(word, candidate) > common_prefix(word, best);
}

// A word that shares no letter with the candidate is not a misspelling of it.
bool is_near(std::string_view word, std::string_view candidate) {
  const std::size_t distance = edit_distance(word, candidate);
  return distance <= allowed_distance(word) && distance < std::max(word.size(), candidate.size());
}

// "net" means network, even if another word is fewer edits away.
std::optional<std::string_view> abbreviated(std::string_view word,
                                            std::span<const std::string_view> candidates) {
  if (word.size() < min_abbreviation) return std::nullopt;
  const auto begins = [word](std::string_view candidate) { return candidate.starts_with(word); };
  const auto found = std::ranges::find_if(candidates, begins);
  if (std::ranges::count_if(candidates, begins) != 1) return std::nullopt;
  return *found;
}

}  // namespace

std::size_t edit_distance(std::string_view left, std::string_view right) {
  // Three rows of the table for optimal string alignment: a swap looks two rows back.
  std::vector<std::size_t> before(right.size() + 1);
  std::vector<std::size_t> previous(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    before.swap(previous);
    previous.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t cost = left[i - 1] == right[j - 1] ? 0 : 1;
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + cost});
      const bool swapped =
          i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[right.size()];
}

std::optional<std::string_view> suggested_word(std::string_view word,
                                               std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > max_word) return std::nullopt;
  auto best = abbreviated(word, candidates);
  if (best) return best;
  for (const std::string_view candidate : candidates) {
    if (!is_near(word, candidate)) continue;
    if (!best || is_nearer(word, candidate, *best)) best = candidate;
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  if (const auto near = suggested_word(word, candidates))
    return fmt::format("did you mean '{}'?", *near);
  if (candidates.empty()) return "there are none to choose from";
  if (candidates.size() == 1) return fmt::format("use {}", candidates.front());
  return fmt::format("use one of {}", join(candidates, ", "));
}

}  // namespace muster::text
