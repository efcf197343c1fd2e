#include "core/groups/division.hpp"

#include "core/error.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace muster::groups {
namespace {

std::string key_text(const option::GroupRange& groups) {
  if (groups.min == groups.max) return fmt::format("groups={}", groups.max);
  return fmt::format("groups={}:{}", groups.min, groups.max);
}

void check(const option::GroupRange& groups, const restart::StepShape& shape) {
  const auto nodes = shape.size.wanted;
  if (shape.fixed) {
    throw Error(fmt::format(
        "{}: this srun names its nodes, but muster chooses those of each group; leave --nodelist, "
        "--exclude, --relative or -m arbitrary out",
        key_text(groups)));
  }
  if (groups.max > nodes) {
    throw Error(
        fmt::format("{}: a group has at least one node, and the step has {}; use {} nodes, or "
                    "at most {}",
                    key_text(groups), nodes, groups.max, text::count(nodes, "group")));
  }
  if (nodes % groups.max != 0) {
    throw Error(fmt::format("{}: {} nodes cannot be divided evenly among {} groups; use {} nodes",
                            key_text(groups), nodes, groups.max,
                            (nodes / groups.max + 1) * groups.max));
  }
  if (!shape.tasks_per_node) {
    throw Error(
        fmt::format("{}: the tasks cannot be divided evenly among {} nodes; give --ntasks-per-node",
                    key_text(groups), nodes));
  }
}

}  // namespace

Division divide(const option::GroupRange& groups, const restart::StepShape& shape,
                std::span<const std::string> nodes) {
  check(groups, shape);
  const std::size_t size = shape.size.wanted / groups.max;
  if (nodes.size() < shape.size.wanted) {
    throw Error(fmt::format("{}: {} nodes are needed, but the job has only {}; use more nodes",
                            key_text(groups), shape.size.wanted, nodes.size()));
  }
  Division division{.groups = {}, .spares = {}, .tasks_per_node = *shape.tasks_per_node};
  for (std::size_t group = 0; group < groups.max; ++group) {
    const auto own = nodes.subspan(group * size, size);
    division.groups.emplace_back(own.begin(), own.end());
  }
  const auto rest = nodes.subspan(groups.max * size);
  division.spares.assign(rest.begin(), rest.end());
  return division;
}

}  // namespace muster::groups
