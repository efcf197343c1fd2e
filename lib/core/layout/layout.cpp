#include "core/layout/layout.hpp"

#include "core/error.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/text/amounts.hpp"
#include "wire/layout_line.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace muster::layout {
namespace {

constexpr std::uint32_t no_rank = ~std::uint32_t{0};

// The nodes of the step that hold tasks, in the order of their lowest task.
std::vector<NodeIndex> nodes_by_first_task(const Layout& layout) {
  std::vector<bool> seen(layout.nodes.size());
  std::vector<NodeIndex> order;
  for (const auto node : layout.node_of_task) {
    if (seen[node]) continue;
    seen[node] = true;
    order.push_back(node);
  }
  return order;
}

std::vector<Component> components_of(const std::vector<wire::ComponentText>& texts) {
  std::vector<Component> components;
  Component next;
  for (const auto& text : texts) {
    next.job_id = text.job_id;
    components.push_back(next);
    next.first_node += text.nodes;
    next.first_task += text.tasks;
  }
  return components;
}

void check_components(const Layout& layout, const std::vector<wire::ComponentText>& texts) {
  if (texts.empty()) return;
  std::uint64_t nodes = 0;
  std::uint64_t tasks = 0;
  for (const auto& text : texts) {
    nodes += text.nodes;
    tasks += text.tasks;
  }
  if (nodes != layout.nodes.size() || tasks != layout.node_of_task.size()) {
    throw Error(fmt::format(
        "the step's components have {} and {}, but the step has {} and {}; report this as a bug",
        text::count(nodes, "node"), text::count(tasks, "task"),
        text::count(layout.nodes.size(), "node"), text::count(layout.node_of_task.size(), "task")));
  }
  auto names = layout.nodes;
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    throw Error(
        fmt::format("two components of the step share {}, which this release does not support; "
                    "give each its own nodes (--nodelist, --exclude)",
                    *twice));
  }
}

}  // namespace

Layout layout_from_text(std::string_view text) {
  const auto line = wire::decode_step_layout(text);
  auto mapping = line ? wire::decode_mapping(line->mapping) : std::nullopt;
  if (!mapping) {
    throw Error(
        "the step's layout arrived truncated; is the same muster version installed on every node?");
  }
  Layout layout{slurm::expand_hostlist(line->nodes), std::move(*mapping), line->address,
                components_of(line->components),     line->features,      line->tres_bind};
  const auto highest = std::max_element(layout.node_of_task.begin(), layout.node_of_task.end());
  if (*highest >= layout.nodes.size()) {
    throw Error(fmt::format(
        "the step's layout puts a task on the node with index {}, but lists only {}; report this "
        "as a bug",
        *highest, text::count(layout.nodes.size(), "node")));
  }
  check_components(layout, line->components);
  return layout;
}

std::vector<ProcId> tasks_on(const Layout& layout, NodeIndex node) {
  std::vector<ProcId> tasks;
  for (ProcId task = 0; task < layout.node_of_task.size(); ++task) {
    if (layout.node_of_task[task] == node) tasks.push_back(task);
  }
  return tasks;
}

std::vector<std::uint32_t> node_ranks(const Layout& layout) {
  std::vector<std::uint32_t> ranks(layout.nodes.size(), no_rank);
  std::uint32_t next = 0;
  for (const auto node : nodes_by_first_task(layout)) ranks[node] = next++;
  for (auto& rank : ranks) {
    if (rank == no_rank) rank = next++;
  }
  return ranks;
}

std::uint32_t node_count(const Layout& layout) {
  return static_cast<std::uint32_t>(nodes_by_first_task(layout).size());
}

bool is_contiguous(const Layout& layout) {
  const auto& nodes = layout.node_of_task;
  std::size_t changes = 0;
  for (std::size_t task = 1; task < nodes.size(); ++task) {
    if (nodes[task] != nodes[task - 1]) ++changes;
  }
  return nodes.empty() || changes + 1 == node_count(layout);
}

std::vector<std::uint32_t> contiguous_ranks(const Layout& layout) {
  const auto ranks_of_nodes = node_ranks(layout);
  std::vector<ProcId> order(layout.node_of_task.size());
  std::iota(order.begin(), order.end(), ProcId{0});
  std::stable_sort(order.begin(), order.end(), [&](ProcId a, ProcId b) {
    return ranks_of_nodes[layout.node_of_task[a]] < ranks_of_nodes[layout.node_of_task[b]];
  });
  std::vector<std::uint32_t> ranks(order.size());
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) ranks[order[rank]] = rank;
  return ranks;
}

}  // namespace muster::layout
