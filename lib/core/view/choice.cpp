#include "core/view/choice.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::view {

using Show = option::View::Show;

bool shows(const option::View& view, std::uint32_t rank) {
  switch (view.show) {
    case Show::first:
      return rank == 0;
    case Show::all:
      return true;
    case Show::none:
      return false;
    case Show::ranks:
      return std::ranges::find(view.ranks, rank) != view.ranks.end();
  }
  return false;
}

std::size_t shown_ranks(const option::View& view, std::uint32_t ranks) {
  std::size_t shown = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) shown += shows(view, rank) ? 1 : 0;
  return shown;
}

std::string objection(const option::View& view, std::uint32_t ranks) {
  const auto wrong = std::ranges::find_if(view.ranks, [&](auto rank) { return rank >= ranks; });
  if (view.show != Show::ranks || wrong == view.ranks.end()) return {};
  return ranks == 1 ? fmt::format("view={}: the step has rank 0 only; use view=0", *wrong)
                    : fmt::format("view={}: the step has no such rank; use ranks from 0 to {}",
                                  *wrong, ranks - 1);
}

Style style_of(const option::View& view, option::Prefix prefix, std::uint32_t ranks) {
  const bool one = shown_ranks(view, ranks) <= 1;
  switch (prefix) {
    case option::Prefix::auto_:
      return one ? Style{.raw = true} : Style{.prefix = Prefix::rank};
    case option::Prefix::none:
      return {.raw = one};
    case option::Prefix::rank:
      return {.prefix = Prefix::rank};
    case option::Prefix::node:
      return {.prefix = Prefix::node};
  }
  return {};
}

}  // namespace muster::view
