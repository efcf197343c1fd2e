#include "core/restart/next_nodes_text.hpp"

#include "core/text/amounts.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <fmt/format.h>

namespace muster::restart {
namespace {

// The reason comes from an administrator and may contain anything.
std::string named(const Candidate& node) {
  return fmt::format("{} ({})", text::printable(node.name), text::printable(node.why));
}

}  // namespace

std::string lost_where_nodes_are_unknown(const report::Record& record) {
  for (const auto& node : record.nodes) {
    if (node.state != report::NodeState::lost) continue;
    return fmt::format("{} is lost, and muster does not know which other nodes this step could use",
                       text::printable(node.name));
  }
  return {};
}

std::string too_few(std::span<const Candidate> candidates, std::uint32_t needed) {
  std::string without;
  std::size_t usable = 0;
  for (const auto& node : candidates) {
    if (node.fitness != Fitness::unfit)
      ++usable;
    else if (without.empty())
      without = fmt::format(" ({}: {})", text::printable(node.name), text::printable(node.why));
  }
  return fmt::format(
      "the run needs {}, but can use {} of the job's {}{}; spares=N keeps nodes in reserve, "
      "nodes=MIN:MAX continues with fewer",
      text::count(needed, "node"), usable == 0 ? "none" : fmt::format("only {}", usable),
      candidates.size(), without);
}

std::string changes(const Choice& choice) {
  if (choice.left_out.empty() && choice.added.empty()) return " on the same nodes";
  auto text = " on " + text::count(choice.nodes.size(), "node");
  for (const auto& node : choice.left_out) text += ", without " + named(node);
  if (!choice.added.empty()) text += ", with " + text::join(choice.added, ", ");
  return text;
}

}  // namespace muster::restart
