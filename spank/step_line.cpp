#include "spank/step_line.hpp"

#include "wire/layout_line.hpp"

#include <cstdint>
#include <vector>

namespace muster::spank {

std::string step_line(const StepLayout& layout) {
  wire::StepLayoutText text{.nodes = {}, .mapping = {}, .address = layout.first_address};
  text.features = layout.first_features;
  text.tres_bind = layout.tres_bind;
  std::vector<std::uint32_t> node_of_rank;
  std::uint32_t first_node = 0;
  for (const auto& component : layout.components) {
    const auto first_rank = node_of_rank.size();
    std::size_t tasks = 0;
    for (const auto& node : component.tasks) tasks += node.size();
    node_of_rank.resize(first_rank + tasks);
    for (std::uint32_t node = 0; node < component.tasks.size(); ++node) {
      for (const auto task : component.tasks[node]) {
        if (task >= tasks) return {};
        node_of_rank[first_rank + task] = first_node + node;
      }
    }
    const auto nodes = static_cast<std::uint32_t>(component.tasks.size());
    if (!text.nodes.empty()) text.nodes += ',';
    text.nodes += component.nodes;
    text.components.push_back({component.job_id, nodes, static_cast<std::uint32_t>(tasks)});
    first_node += nodes;
  }
  if (text.components.size() == 1) text.components.clear();
  text.mapping = wire::encode_mapping(node_of_rank);
  return wire::encode(text);
}

}  // namespace muster::spank
