#include "core/layout/numbering.hpp"

#include "core/layout/layout.hpp"

namespace muster::layout {
namespace {

std::vector<std::uint32_t> count_tasks(const Layout& layout) {
  std::vector<std::uint32_t> counts(layout.nodes.size());
  for (const auto node : layout.node_of_task) ++counts[node];
  return counts;
}

}  // namespace

RankNumbering number_ranks(const Layout& layout, option::Ranks ranks) {
  RankNumbering step;
  if (ranks == option::Ranks::contiguous) step.rank_of_task = contiguous_ranks(layout);
  step.node_ranks = node_ranks(layout);
  step.tasks_of_node = count_tasks(layout);
  bool equal = true;
  for (const auto count : step.tasks_of_node) {
    if (count == 0) continue;
    ++step.nodes;
    equal = equal && count == step.tasks_per_node.value_or(count);
    step.tasks_per_node = count;
  }
  if (!equal) step.tasks_per_node.reset();
  return step;
}

Cross cross(const RankNumbering& step, NodeIndex node, std::uint32_t local_rank) {
  Cross result;
  for (NodeIndex each = 0; each < step.tasks_of_node.size(); ++each) {
    if (step.tasks_of_node[each] <= local_rank) continue;
    ++result.size;
    if (step.node_ranks[each] < step.node_ranks[node]) ++result.rank;
  }
  return result;
}

}  // namespace muster::layout
