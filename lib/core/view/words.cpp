#include "core/view/words.hpp"

#include "core/text/amounts.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "core/view/harmless.hpp"
#include "core/view/lines.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

namespace muster::view {
namespace {

constexpr std::size_t max_list = 16;  // characters for a list of ranks
constexpr std::size_t max_lines = 32;
constexpr std::array colours{36, 32, 33, 35, 34, 96, 92, 95};

// The name in "$name..." or "${name}...".
std::string_view name_in(std::string_view text) {
  constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  const bool braced = text.starts_with("${");
  text.remove_prefix(std::min<std::size_t>(braced ? 2 : 1, text.size()));
  const auto end = std::min(text.find_first_not_of(letters), text.size());
  if (braced && (end == text.size() || text[end] != '}')) return {};
  return text.substr(0, end);
}

}  // namespace

std::string prefix_text(Prefix prefix, const std::set<std::uint32_t>& ranks, std::size_t in_view,
                        const NodeNames& nodes) {
  if (prefix == Prefix::none || ranks.empty()) return {};
  if (ranks.size() == 1) {
    const auto node = nodes.find(*ranks.begin());
    if (prefix == Prefix::rank || node == nodes.end()) return fmt::format("[{}] ", *ranks.begin());
    return fmt::format("[{} {}] ", text::printable(node->second), *ranks.begin());
  }
  const auto list =
      ranks.size() < in_view ? text::ranges_within(ranks, 3 * max_list) : std::string();
  return list.empty() || list.size() > max_list ? fmt::format("[{} ranks] ", ranks.size())
                                                : fmt::format("[{}] ", list);
}

std::string template_text(std::string_view line_template, std::uint32_t rank,
                          std::string_view role) {
  const auto number = fmt::to_string(rank);
  std::string text;
  auto rest = line_template;
  while (!rest.empty()) {
    const auto dollar = std::min(rest.find('$'), rest.size());
    text += rest.substr(0, dollar);
    rest.remove_prefix(dollar);
    if (rest.starts_with("$$")) {
      text += '$';
      rest.remove_prefix(2);
      continue;
    }
    const auto name = name_in(rest);
    if (name == "rank" || name == "local_rank") {
      text += number;
    } else if (name == "role_name") {
      text += role;
    } else {
      text += rest.substr(0, 1);
      rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
      continue;
    }
    rest.remove_prefix(rest.starts_with("${") ? name.size() + 3 : name.size() + 1);
  }
  return text;
}

std::string coloured(const std::string& prefix, const std::set<std::uint32_t>& ranks) {
  if (prefix.empty()) return prefix;
  const auto colour = ranks.size() == 1 ? colours.at(*ranks.begin() % colours.size()) : 1;
  return fmt::format("\x1b[{}m{}\x1b[0m", colour, prefix);
}

std::string left_out_text(std::uint32_t rank, std::uint64_t bytes, std::string_view place) {
  return fmt::format("{} of rank {}'s output was not shown; the complete output is in {}",
                     text::bytes(bytes), rank, text::printable_path(place));
}

std::vector<std::string> last_lines(std::string_view bytes, bool whole) {
  if (!whole) {
    const auto end = bytes.find('\n');
    bytes.remove_prefix(end == std::string_view::npos ? 0 : end + 1);
  }
  std::vector<std::string> lines;
  const auto take = [&](const std::string& line) { lines.push_back(harmless(line)); };
  Lines splitter;
  splitter.add(bytes, Lines::Time(), take);
  splitter.finish(take);
  if (lines.size() > max_lines) lines.erase(lines.begin(), lines.end() - max_lines);
  return lines;
}

}  // namespace muster::view
