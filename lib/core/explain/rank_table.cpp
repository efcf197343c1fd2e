#include "core/explain/rank_table.hpp"

#include "core/text/list.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include <fmt/format.h>

namespace muster::explain {
namespace {

using Cells = std::vector<std::string>;
using PlannedRanks = std::vector<plan::PlannedRank>;
using NodeRanks = std::span<const plan::PlannedRank>;  // the ranks on one node

std::string gpu_text(const resources::TaskGpu& gpu) {
  if (!gpu.index) return gpu.busid;
  return gpu.busid.empty() ? fmt::to_string(*gpu.index)
                           : fmt::format("{} ({})", *gpu.index, gpu.busid);
}

// The NICs for one line, spread over the lines that the GPUs need anyway.
std::string nics_of_line(const std::vector<std::string>& nics, std::size_t line,
                         std::size_t lines) {
  const auto each = (nics.size() + lines - 1) / lines;
  const auto first = std::min(line * each, nics.size());
  const auto last = std::min(first + each, nics.size());
  return text::join(std::span(nics).subspan(first, last - first), ", ");
}

// The cells for CPUs, memory, GPUs and NICs.
std::vector<Cells> lines_of(const resources::TaskResources& own) {
  const auto lines = std::max<std::size_t>(own.gpus.size(), 1);
  std::vector<Cells> cells(lines, Cells(4));
  cells[0][0] = own.cpus.empty() ? "as Slurm binds" : own.cpus.to_string();
  cells[0][1] = memory_text(own);
  for (std::size_t line = 0; line < lines; ++line) {
    if (line < own.gpus.size()) cells[line][2] = gpu_text(own.gpus[line]);
    cells[line][3] = nics_of_line(own.nics, line, lines);
  }
  return cells;
}

void add_rank(text::Columns& table, const plan::PlannedRank& rank) {
  Cells who{fmt::to_string(rank.task->rank), rank.node->node,
            fmt::to_string(rank.task->local_rank)};
  for (auto& cells : lines_of(rank.task->resources)) {
    who.resize(3);  // named on the first line only
    std::ranges::move(cells, std::back_inserter(who));
    table.add(std::move(who));
    who = {};
  }
}

bool are_alike(NodeRanks a, NodeRanks b) {
  return std::ranges::equal(a, b, [](const plan::PlannedRank& one, const plan::PlannedRank& other) {
    return one.task->local_rank == other.task->local_rank &&
           lines_of(one.task->resources) == lines_of(other.task->resources);
  });
}

// Empty if the ranks of some node are not consecutive.
std::vector<NodeRanks> by_node(const PlannedRanks& ranks, std::size_t nodes) {
  std::vector<NodeRanks> groups;
  for (auto first = ranks.begin(); first != ranks.end();) {
    const auto last = std::find_if(first, ranks.end(), [&](const plan::PlannedRank& rank) {
      return rank.node != first->node;
    });
    groups.emplace_back(first, last);
    first = last;
  }
  const auto with_tasks = std::min(nodes, groups.size());
  return groups.size() == with_tasks ? groups : std::vector<NodeRanks>();
}

void add_alike(text::Columns& table, std::span<const NodeRanks> nodes, const std::string& model) {
  const auto& first = nodes.front().front();
  const auto& last = nodes.back().back();
  const auto ranks = text::range_text(first.task->rank, last.task->rank);
  const auto names = nodes.size() == 1 ? first.node->node
                                       : fmt::format("{} ... {} ({} nodes)", first.node->node,
                                                     last.node->node, nodes.size());
  table.add({ranks, names, "", "as " + model, "", "", ""});
}

}  // namespace

std::string rank_table(const plan::StepPlan& plan, const text::Paint& paint) {
  text::Columns table({"rank", "node", "local", "CPUs", "memory", "GPUs", "NICs"});
  const auto ranks = by_rank(plan);
  const auto nodes = by_node(ranks, plan.nodes.size());
  if (nodes.empty())
    for (const auto& rank : ranks) add_rank(table, rank);
  for (auto model = nodes.begin(); model != nodes.end();) {
    for (const auto& rank : *model) add_rank(table, rank);
    const auto other = std::find_if(model + 1, nodes.end(),
                                    [&](NodeRanks node) { return !are_alike(*model, node); });
    if (other != model + 1) add_alike(table, {model + 1, other}, model->front().node->node);
    model = other;
  }
  return table.text(paint);
}

}  // namespace muster::explain
