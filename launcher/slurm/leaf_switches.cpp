#include "launcher/slurm/leaf_switches.hpp"

#include "core/error.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/slurm/scontrol_output.hpp"
#include "core/text/list.hpp"
#include "launcher/os/command_output.hpp"

#include <vector>

namespace muster::slurm {
namespace {

std::string_view leaf_name(std::string_view line) {
  if (line.starts_with("BlockName=")) return field(line, "BlockName");
  const bool is_leaf = line.starts_with("SwitchName=") && field(line, "Level") == "0";
  return is_leaf ? field(line, "SwitchName") : std::string_view();
}

// A list that only a newer Slurm understands costs a preference, and not the attempt.
std::vector<std::string> nodes_of(std::string_view line) {
  const auto list = field(line, "Nodes");
  if (list.empty() || list == "(null)") return {};
  try {
    return expand_hostlist(list);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

LeafSwitches leaf_switches(std::string_view text) {
  LeafSwitches leaves;
  for (const auto line : text::split(text, '\n')) {
    const auto leaf = leaf_name(line);
    if (leaf.empty()) continue;
    for (auto& node : nodes_of(line)) leaves.try_emplace(std::move(node), leaf);
  }
  return leaves;
}

LeafSwitches ask_leaf_switches(std::chrono::milliseconds timeout) {
  constexpr std::size_t max_bytes =
      4194304;  // a line for each switch, the top one's with all nodes
  const auto result =
      os::run_command({"env", "-u", "SLURM_TOPO_LEN", "scontrol", "show", "topology"},
                      {.timeout = timeout, .max_bytes = max_bytes});
  return result.succeeded ? leaf_switches(result.output) : LeafSwitches();
}

}  // namespace muster::slurm
