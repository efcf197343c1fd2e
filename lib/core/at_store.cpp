#include "core/at_store.hpp"

#include "core/text/quote.hpp"

#include <vector>

#include <fmt/format.h>

namespace muster {
namespace {

constexpr std::size_t shown_of_node = 16;
constexpr std::string_view more = ", ...";

std::string rank_on(std::uint32_t rank, const std::string& node) {
  auto shown = text::printable(node);
  if (shown.size() > shown_of_node) shown = shown.substr(0, shown_of_node - 1) + "~";
  return fmt::format("rank {} on {}", rank, shown);
}

// As many as fit.
std::string listed(std::string text, const std::vector<std::string>& names, std::size_t columns,
                   bool complete) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto next = (i == 0 ? "" : ", ") + names[i];
    const bool last = complete && i + 1 == names.size();
    if (i > 0 && text.size() + next.size() + (last ? 0 : more.size()) > columns)
      return text.append(more);
    text += next;
  }
  return complete ? text : text.append(more);
}

}  // namespace

std::string at_store_text(std::span<const NodeAtStore> nodes, std::uint32_t all,
                          std::size_t columns) {
  std::uint32_t there = 0;
  std::vector<std::string> missing;
  bool complete = true;
  for (const auto& [node, at] : nodes) {
    if (!at) return {};
    there += at->ranks;
    complete = complete && at->missing.size() < max_missing;
    for (const auto rank : at->missing) missing.push_back(rank_on(rank, node));
  }
  if (there == 0 || missing.empty()) return {};
  return listed(fmt::format("{} of {} ranks; missing: ", there, all), missing, columns, complete);
}

}  // namespace muster
