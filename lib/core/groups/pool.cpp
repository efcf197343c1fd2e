#include "core/groups/pool.hpp"

#include "core/contains.hpp"

#include <algorithm>

namespace muster::groups {
namespace {

bool contains_node(const Pool& pool, const std::string& name) {
  return std::ranges::find(pool.nodes, name, &PoolNode::name) != pool.nodes.end();
}

// The group keeps what it has of these nodes.
void let_go_of_others(Pool& pool, std::uint32_t group, std::span<const std::string> kept) {
  for (auto& node : pool.nodes) {
    if (node.group != group) continue;
    node.is_being_left = false;
    if (!contains(kept, node.name)) node.group.reset();
  }
}

// One free part; the pool may not know the node yet.
void take_part(Pool& pool, std::uint32_t group, const std::string& name) {
  if (!contains_node(pool, name))
    pool.nodes.insert(pool.nodes.end(), pool.parts, {.name = name, .group = {}, .lost_at = {}});
  const auto part = std::ranges::find_if(
      pool.nodes, [&](const auto& node) { return node.name == name && !node.group; });
  if (part != pool.nodes.end()) part->group = group;
}

}  // namespace

std::vector<std::string> nodes_of(const Pool& pool, std::uint32_t group) {
  std::vector<std::string> names;
  for (const auto& node : pool.nodes) {
    if (node.group == group) names.push_back(node.name);
  }
  return names;
}

std::vector<PoolNode> open_to(const Pool& pool, std::uint32_t group) {
  std::vector<PoolNode> open;
  std::ranges::copy_if(pool.nodes, std::back_inserter(open),
                       [group](const auto& node) { return node.group.value_or(group) == group; });
  return open;
}

bool take(Pool& pool, std::uint32_t group, std::span<const std::string> nodes) {
  const auto has_part = [&](const std::string& name) {
    const auto is_open = [&](const PoolNode& node) {
      return node.name == name && node.group.value_or(group) == group;
    };
    return std::ranges::any_of(pool.nodes, is_open) || !contains_node(pool, name);
  };
  if (!std::ranges::all_of(nodes, has_part)) return false;
  const auto own = nodes_of(pool, group);
  let_go_of_others(pool, group, nodes);
  for (const auto& name : nodes) {
    if (!contains(own, name)) take_part(pool, group, name);
  }
  for (auto& node : pool.nodes) {
    if (node.group == group) node.lost_at.reset();
  }
  return true;
}

void let_go(Pool& pool, std::uint32_t group) {
  for (auto& node : pool.nodes) {
    if (node.group != group) continue;
    node.group.reset();
    node.is_being_left = false;
  }
}

void lose(Pool& pool, std::uint32_t group, const std::string& node, Moment last_word) {
  const auto is_own = [&](const PoolNode& each) {
    return each.name == node && each.group == group;
  };
  const auto is_used = [&](const PoolNode& each) { return each.name == node && each.group; };
  if (std::ranges::none_of(pool.nodes, is_own) && std::ranges::any_of(pool.nodes, is_used)) return;
  for (auto& each : pool.nodes) {
    if (each.name == node && each.group.value_or(group) == group) each.lost_at = last_word;
  }
}

void remove(Pool& pool, std::span<const std::string> nodes) {
  std::erase_if(pool.nodes, [&](const auto& node) { return contains(nodes, node.name); });
}

void set_drained(Pool& pool, std::span<const std::string> nodes) {
  for (auto& node : pool.nodes) node.drained = contains(nodes, node.name);
}

std::vector<std::string> drained_of(const Pool& pool, std::uint32_t group) {
  std::vector<std::string> names;
  for (const auto& node : pool.nodes) {
    if (node.group == group && node.drained) names.push_back(node.name);
  }
  return names;
}

bool leave_drained(Pool& pool, std::uint32_t group, std::size_t free) {
  const auto is_own = [group](const PoolNode& node) { return node.group == group && node.drained; };
  const auto needs_another = [&](const PoolNode& node) {
    return node.is_being_left || is_own(node);
  };
  const auto needed = std::ranges::count_if(pool.nodes, needs_another);
  if (static_cast<std::size_t>(needed) > free) return false;
  for (auto& node : pool.nodes) node.is_being_left |= is_own(node);
  return true;
}

}  // namespace muster::groups
