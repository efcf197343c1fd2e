#include "core/torchrun/output.hpp"

#include "core/error.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include <fmt/format.h>

namespace muster::torchrun {
namespace {

constexpr unsigned none = 0;
constexpr unsigned both = 3;

using Streams = std::vector<unsigned>;  // indexed by rank; 1: stdout, 2: stderr, 3: both

[[noreturn]] void refuse(std::string_view flag, std::string_view value) {
  throw Error(
      fmt::format("--{} {}: use 0, 1, 2 or 3 for all ranks, or RANK:VALUE,..., such as 0:3,1:0",
                  flag, text::in_quotes(value)));
}

unsigned streams(std::string_view flag, std::string_view value, std::string_view text) {
  const auto number = text::number<unsigned>(text);
  if (!number || *number > both) refuse(flag, value);
  return *number;
}

Streams streams_of(std::string_view flag, const Text& value, std::uint32_t ranks) {
  Streams all(ranks, none);
  if (!value) return all;
  if (value->find(':') == std::string::npos) {
    std::ranges::fill(all, streams(flag, *value, *value));
    return all;
  }
  for (const auto pair : text::split(*value, ',')) {
    const auto colon = std::min(pair.find(':'), pair.size());
    const auto rank = text::number<std::uint32_t>(pair.substr(0, colon));
    if (!rank || colon == pair.size()) refuse(flag, *value);
    if (*rank < ranks) all[*rank] = streams(flag, *value, pair.substr(colon + 1));
  }
  return all;
}

Streams filtered(const Text& filter, std::uint32_t ranks) {
  if (!filter || filter->empty()) return Streams(ranks, both);
  Streams shown(ranks, none);
  for (const auto word : text::split(*filter, ',')) {
    const auto rank = text::number<std::uint32_t>(word);
    if (!rank) {
      throw Error(fmt::format("--local-ranks-filter {}: use a list of ranks, such as 0,2",
                              text::in_quotes(*filter)));
    }
    if (*rank < ranks) shown[*rank] = both;
  }
  return shown;
}

std::string_view only(unsigned streams) {
  constexpr std::array words{"", ":out", ":err", ""};
  return words.at(streams);
}

std::string view_of(const Streams& shown) {
  const bool alike = std::ranges::adjacent_find(shown, std::ranges::not_equal_to()) == shown.end();
  if (alike && shown.front() != none) return fmt::format("all{}", only(shown.front()));
  std::string view;
  for (std::size_t rank = 0; rank < shown.size(); ++rank) {
    if (shown[rank] == none) continue;
    view += fmt::format("{}{}{}", view.empty() ? "" : "+", rank, only(shown[rank]));
  }
  return view.empty() ? "none" : view;
}

}  // namespace

Output output_of(const Words& words, std::uint32_t ranks) {
  const auto redirects = streams_of("redirects", words.redirects, ranks);
  const auto tee = streams_of("tee", words.tee, ranks);
  auto shown = filtered(words.local_ranks_filter, ranks);
  Output output{.to_files = words.log_dir && *words.log_dir != "/dev/null"};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    output.to_files =
        output.to_files || redirects[rank] != none || tee[rank] != none || shown[rank] == none;
    output.prefixed = output.prefixed || tee[rank] != none;
    shown[rank] &= ~(redirects[rank] & ~tee[rank]);
  }
  if (output.to_files) output.view = view_of(shown);
  return output;
}

}  // namespace muster::torchrun
