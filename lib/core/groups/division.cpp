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

[[noreturn]] void refuse_chosen_nodes(const option::GroupRange& groups) {
  throw Error(fmt::format(
      "{}: this srun specifies its nodes, but muster must choose the nodes of each group; leave out "
      "--nodelist, --exclude, --relative or -m arbitrary",
      key_text(groups)));
}

[[noreturn]] void refuse_uneven_tasks(const option::GroupRange& groups, std::uint32_t nodes) {
  throw Error(
      fmt::format("{}: the tasks cannot be divided evenly among {} nodes; use --ntasks-per-node",
                  key_text(groups), nodes));
}

void refuse_no_nodes(const option::GroupRange& groups, std::uint32_t nodes) {
  if (nodes == 0)
    throw Error(key_text(groups) + ": a step of 0 nodes has no groups; use -N1 or more");
}

// More groups than nodes.
void check_parts(const option::GroupRange& groups, std::uint32_t nodes,
                 std::uint32_t tasks_per_node) {
  if (groups.max % nodes != 0) {
    throw Error(fmt::format("{}: {} groups cannot be divided evenly among {} nodes; use {} groups",
                            key_text(groups), groups.max, nodes, (groups.max / nodes + 1) * nodes));
  }
  const auto parts = groups.max / nodes;
  if (tasks_per_node % parts != 0) {
    throw Error(
        fmt::format("{}: each node has {}, which cannot be divided evenly among its {}; use {} "
                    "tasks per node, or {} nodes",
                    key_text(groups), text::count(tasks_per_node, "task"),
                    text::count(parts, "group"), (tasks_per_node / parts + 1) * parts, groups.max));
  }
}

void check(const option::GroupRange& groups, const restart::StepShape& shape) {
  const auto nodes = shape.size.wanted;
  refuse_no_nodes(groups, nodes);
  if (shape.fixed) refuse_chosen_nodes(groups);
  if (groups.max <= nodes && nodes % groups.max != 0) {
    throw Error(fmt::format("{}: {} nodes cannot be divided evenly among {} groups; use {} nodes",
                            key_text(groups), nodes, groups.max,
                            (nodes / groups.max + 1) * groups.max));
  }
  if (!shape.tasks_per_node) refuse_uneven_tasks(groups, nodes);
  if (groups.max > nodes) check_parts(groups, nodes, *shape.tasks_per_node);
}

// Of one program.
OwnNodes size_of(const option::GroupRange& groups, const srun::StepSize& program,
                 std::span<const std::string> nodes, std::size_t& used) {
  if (program.chose_nodes || program.arbitrary) refuse_chosen_nodes(groups);
  const auto count = program.nodes.value_or(1);
  refuse_no_nodes(groups, count);
  const auto tasks = program.tasks.value_or(count);
  if (!program.tasks_per_node && tasks % count != 0) refuse_uneven_tasks(groups, count);
  if (nodes.size() - used < count) {
    throw Error(
        fmt::format("{}: the programs need more nodes than the job has ({}); request more nodes",
                    key_text(groups), nodes.size()));
  }
  const auto own = nodes.subspan(used, count);
  used += count;
  return {.nodes = {own.begin(), own.end()},
          .tasks_per_node = program.tasks_per_node.value_or(tasks / count)};
}

}  // namespace

Division divide(const option::GroupRange& groups, const restart::StepShape& shape,
                std::span<const std::string> nodes) {
  check(groups, shape);
  const std::size_t parts = std::max(groups.max / shape.size.wanted, 1U);
  const std::size_t size = std::max(shape.size.wanted / groups.max, 1U);
  if (nodes.size() < shape.size.wanted) {
    throw Error(fmt::format("{}: {} nodes are needed, but the job has only {}; request more nodes",
                            key_text(groups), shape.size.wanted, nodes.size()));
  }
  Division division{
      .groups = {}, .spares = {}, .groups_per_node = static_cast<std::uint32_t>(parts)};
  for (std::size_t group = 0; group < groups.max; ++group) {
    const auto own = nodes.subspan(group / parts * size, size);
    division.groups.push_back(
        {.nodes = {own.begin(), own.end()},
         .tasks_per_node = *shape.tasks_per_node / static_cast<std::uint32_t>(parts)});
  }
  const auto rest = nodes.subspan(shape.size.wanted);
  division.spares.assign(rest.begin(), rest.end());
  return division;
}

Division divide(const option::GroupRange& groups, std::span<const srun::StepSize> programs,
                std::uint32_t spares, std::span<const std::string> nodes) {
  if (groups.max != programs.size()) {
    throw Error(
        fmt::format("{}: the command has {}; each is a group of its own, so write groups={}",
                    key_text(groups), text::count(programs.size(), "program"), programs.size()));
  }
  Division division{.groups = {}, .spares = {}};
  std::size_t used = 0;
  for (const auto& program : programs)
    division.groups.push_back(size_of(groups, program, nodes, used));
  const auto rest = nodes.subspan(used);
  if (rest.size() < spares) {
    throw Error(
        fmt::format("spares={}: the job has {}, and the programs use {}; request more nodes",
                    spares, text::count(nodes.size(), "node"), used));
  }
  division.spares.assign(rest.begin(), rest.end());
  return division;
}

}  // namespace muster::groups
