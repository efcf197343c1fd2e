#include "core/view/choice.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::view {

using Show = option::View::Show;

namespace {

bool is_of(option::Streams streams, Stream stream) {
  using option::Streams;
  return streams == Streams::both ||
         streams == (stream == Stream::out ? Streams::out : Streams::err);
}

bool shows_rank(const option::View& view, std::uint32_t rank) {
  return shows(view, {rank, Stream::out}) || shows(view, {rank, Stream::err});
}

}  // namespace

bool shows(const option::View& view, const Source& source) {
  switch (view.show) {
    case Show::first:
      return source.rank == 0;
    case Show::all:
      return is_of(view.streams, source.stream);
    case Show::none:
      return false;
    case Show::ranks:
      return std::ranges::any_of(view.ranks, [&](const auto& shown) {
        return shown.rank == source.rank && is_of(shown.streams, source.stream);
      });
  }
  return false;
}

std::size_t shown_ranks(const option::View& view, std::uint32_t ranks) {
  std::size_t shown = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) shown += shows_rank(view, rank) ? 1 : 0;
  return shown;
}

std::string objection(const option::View& view, std::uint32_t ranks) {
  const auto wrong =
      std::ranges::find_if(view.ranks, [&](const auto& shown) { return shown.rank >= ranks; });
  if (view.show != Show::ranks || wrong == view.ranks.end()) return {};
  return ranks == 1 ? fmt::format("view={}: the step has rank 0 only; use view=0", wrong->rank)
                    : fmt::format("view={}: the step has no such rank; use ranks from 0 to {}",
                                  wrong->rank, ranks - 1);
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
