#include "core/status/at_store.hpp"

#include "core/text/quote.hpp"

#include <vector>

#include <fmt/format.h>

namespace muster::status {
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

std::string at_store_text(const Step& step, std::size_t columns) {
  std::uint32_t there = 0;
  std::vector<std::string> missing;
  for (const auto& node : step.nodes) {
    if (!node.counts || !node.counts->store) return {};
    there += node.counts->store->ranks;
    for (const auto rank : node.counts->store->missing) missing.push_back(rank_on(rank, node.name));
  }
  if (there == 0 || missing.empty()) return {};
  return listed(fmt::format("{} of {} ranks; missing: ", there, step.ranks), missing, columns,
                there + missing.size() >= step.ranks_up);
}

}  // namespace muster::status
