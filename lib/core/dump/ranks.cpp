#include "core/dump/ranks.hpp"

#include "core/error.hpp"
#include "core/text/amounts.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"

#include <fmt/format.h>

namespace muster::dump {

std::set<std::uint32_t> ranks_of(std::string_view text, std::uint32_t limit) {
  std::set<std::uint32_t> ranks;
  if (text.empty()) return ranks;
  for (const auto part : text::split(text, ',')) {
    const auto dash = part.find('-');
    const auto first = text::number<std::uint32_t>(part.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : text::number<std::uint32_t>(part.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= limit) {
      throw Error(fmt::format("{} is not a list of ranks, such as 0-7,12", text::in_quotes(text)));
    }
    for (auto rank = *first; rank <= *last; ++rank) ranks.insert(ranks.end(), rank);
  }
  return ranks;
}

std::string ranks_text(std::span<const std::uint32_t> ascending, std::size_t max_columns) {
  auto text = text::ranges_within(ascending, max_columns);
  if (text.ends_with("...")) text += fmt::format(" ({} in all)", ascending.size());
  return text;
}

}  // namespace muster::dump
