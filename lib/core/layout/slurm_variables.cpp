// Derives the layout from the variables that Slurm sets for every task: the number of tasks on each node
// and the kind of distribution. If the result does not match what the task knows about its own node, that
// is an error.
#include "core/layout/slurm_variables.hpp"

#include "core/error.hpp"
#include "core/layout/task_counts.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/text/amounts.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include <fmt/format.h>

namespace muster::layout {
namespace {

using Counts = std::vector<std::uint32_t>;  // number of tasks, by node

// The plane sizes worth trying; the size that Slurm names comes first.
std::vector<std::uint32_t> plane_sizes(const Environment& environment) {
  std::vector<std::uint32_t> sizes;
  const auto& text = environment.get("SLURM_DIST_PLANESIZE");
  std::uint32_t size = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  const bool whole = error == std::errc{} && stop == text.data() + text.size();
  if (whole && size > 0 && environment.get("SLURM_DISTRIBUTION").starts_with("plane")) {
    sizes.push_back(size);
  }
  sizes.push_back(~std::uint32_t{0});  // block
  // On a node with few tasks, block and cyclic look the same.
  const bool cyclic = environment.get("SLURM_DISTRIBUTION").starts_with("cyclic");
  sizes.insert(cyclic ? sizes.begin() : sizes.end(), 1);
  return sizes;
}

// Reads a list of hosts by task. Empty unless it gives every node the right number of tasks.
std::vector<NodeIndex> arbitrary(const std::vector<std::string>& nodes, Counts left,
                                 const std::string& hosts) {
  std::map<std::string_view, NodeIndex> index;
  for (NodeIndex node = 0; node < nodes.size(); ++node) index.emplace(nodes[node], node);
  std::vector<NodeIndex> node_of_task;
  for (const auto& host : slurm::expand_hostlist(hosts)) {
    const auto found = index.find(host);
    if (found == index.end() || left[found->second] == 0) return {};
    --left[found->second];
    node_of_task.push_back(found->second);
  }
  const bool complete =
      std::all_of(left.begin(), left.end(), [](auto tasks) { return tasks == 0; });
  return complete ? node_of_task : std::vector<NodeIndex>();
}

Counts counts_of(const std::vector<std::string>& nodes, const std::string& tasks) {
  auto counts = expand_task_counts(tasks);
  if (counts.size() != nodes.size()) {
    throw Error(fmt::format(
        "SLURM_STEP_TASKS_PER_NODE {} does not match SLURM_STEP_NODELIST, which has {}; unset "
        "both if they belong to another step",
        text::in_quotes(tasks), text::count(nodes.size(), "node")));
  }
  return counts;
}

}  // namespace

std::vector<NodeIndex> distribute(std::vector<std::uint32_t> left, std::uint32_t size) {
  std::vector<NodeIndex> node_of_task;
  std::vector<NodeIndex> open(left.size());
  std::iota(open.begin(), open.end(), NodeIndex{0});
  while (true) {
    std::erase_if(open, [&](NodeIndex node) { return left[node] == 0; });
    if (open.empty()) return node_of_task;
    for (const auto node : open) {
      const auto taken = std::min(size, left[node]);
      left[node] -= taken;
      node_of_task.insert(node_of_task.end(), taken, node);
    }
  }
}

Layout layout_from_variables(const Environment& environment, NodeIndex here,
                             const std::vector<ProcId>& local_tasks) {
  const auto& nodes = environment.get("SLURM_STEP_NODELIST");
  const auto& tasks = environment.get("SLURM_STEP_TASKS_PER_NODE");
  if (nodes.empty() || tasks.empty()) {
    throw Error(
        "cannot determine the step's layout: SLURM_STEP_NODELIST or SLURM_STEP_TASKS_PER_NODE "
        "is not set; is this a Slurm step?");
  }
  Layout layout{slurm::expand_hostlist(nodes), {}, {}};
  const auto counts = counts_of(layout.nodes, tasks);
  const auto fits = [&](std::vector<NodeIndex> node_of_task) {
    layout.node_of_task = std::move(node_of_task);
    return here < layout.nodes.size() && tasks_on(layout, here) == local_tasks;
  };
  const auto& hosts = environment.get("SLURM_ARBITRARY_NODELIST");
  if (!hosts.empty() && fits(arbitrary(layout.nodes, counts, hosts))) return layout;
  if (environment.get("SLURM_DISTRIBUTION").starts_with("arbitrary")) {
    throw Error(fmt::format(
        "cannot determine which task runs where: the distribution is arbitrary, and "
        "SLURM_ARBITRARY_NODELIST {}; export it with the step's hosts, one for each task, "
        "separated by commas",
        hosts.empty() ? "is not set" : "does not name this step's hosts"));
  }
  for (const auto size : plane_sizes(environment)) {
    if (fits(distribute(counts, size))) return layout;
  }
  throw Error(
      "cannot determine which task runs where: Slurm's variables match none of block, cyclic and "
      "plane, and srun sent no layout; start the step with an srun that loads muster.so, "
      "or with srun -m block");
}

}  // namespace muster::layout
