#include "core/dump/collective_text.hpp"

#include "core/dump/ranks.hpp"
#include "core/text/amounts.hpp"

#include <set>
#include <vector>

#include <fmt/format.h>

namespace muster::dump {
namespace {

std::string ranks_of_set(const std::set<std::uint32_t>& ranks, std::size_t columns) {
  const std::vector<std::uint32_t> list(ranks.begin(), ranks.end());
  return fmt::format("{} {}", text::plural(list.size(), "rank"), ranks_text(list, columns));
}

// "all_reduce 4 of default_pg (gloo)"
std::string name_of(const Collective& collective) {
  const bool named = !collective.text.empty() && collective.text != "undefined";
  const bool one = collective.operations.empty() && !collective.operation.empty();
  return fmt::format("{} {} of {} ({})", one ? collective.operation : "collective",
                     collective.number, named ? collective.text : "group " + collective.group,
                     collective.backend);
}

}  // namespace

std::string collective_line(const Collective& collective, std::size_t columns) {
  const auto name = name_of(collective);
  const auto waiting = ranks_of_set(collective.waiting, columns);
  if (!collective.missing.empty()) {
    return fmt::format("MISSING {} in {}; reached by {}", ranks_of_set(collective.missing, columns),
                       name, waiting);
  }
  if (!collective.operations.empty()) {
    std::string calls;
    for (const auto& [operation, ranks] : collective.operations) {
      calls += fmt::format("{}{} {}", calls.empty() ? "" : ", ", ranks_of_set(ranks, columns),
                           operation);
    }
    return fmt::format("DIFFERENT calls in {}: {}", name, calls);
  }
  if (collective.no_answer.empty())
    return fmt::format("NONE MISSING in {}: reached by {}", name, waiting);
  return fmt::format("NO ANSWER from {} on {}; reached by {}",
                     ranks_of_set(collective.no_answer, columns), name, waiting);
}

std::string progress_lines(const ProcessLook& look) {
  std::string text;
  if (!look.recorder) return text;
  for (const auto& group : look.recorder->groups) {
    text += fmt::format(
        "  group {} {} ({}) of ranks {}: {} enqueued, {} completed{}{}\n", group.group, group.text,
        group.backend, group.ranks, text::count(group.enqueued, "collective"), group.completed,
        group.operation.empty() ? "" : ", last " + group.operation, group.moves ? ", moving" : "");
  }
  return text;
}

}  // namespace muster::dump
