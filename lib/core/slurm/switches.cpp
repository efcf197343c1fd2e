#include "core/slurm/switches.hpp"

#include "core/error.hpp"
#include "core/slurm/fields.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/text/list.hpp"

#include <utility>
#include <vector>

namespace muster::slurm {
namespace {

std::string_view leaf_name(std::string_view line) {
  if (line.starts_with("BlockName=")) return field(line, "BlockName");
  const bool is_leaf = line.starts_with("SwitchName=") && field(line, "Level") == "0";
  return is_leaf ? field(line, "SwitchName") : std::string_view();
}

// If only a newer Slurm uses this form of list, it costs a preference, not the attempt.
std::vector<std::string> nodes_under(std::string_view line) {
  const auto list = field(line, "Nodes");
  if (is_no_list(list)) return {};
  try {
    return expand_hostlist(list);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

LeafSwitches leaf_switches_from_text(std::string_view text) {
  LeafSwitches leaves;
  for (const auto line : text::split(text, '\n')) {
    const auto leaf = leaf_name(line);
    if (leaf.empty()) continue;
    for (auto& node : nodes_under(line)) leaves.try_emplace(std::move(node), leaf);
  }
  return leaves;
}

}  // namespace muster::slurm
