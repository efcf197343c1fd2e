#include "core/groups/pool.hpp"

#include "core/contains.hpp"

#include <algorithm>

namespace muster::groups {

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
  const auto is_anothers = [&](const PoolNode& node) {
    return node.group.value_or(group) != group && contains(nodes, node.name);
  };
  if (std::ranges::any_of(pool.nodes, is_anothers)) return false;
  let_go(pool, group);
  for (const auto& name : nodes) {
    const auto known = std::ranges::find(pool.nodes, name, &PoolNode::name);
    if (known == pool.nodes.end()) {
      pool.nodes.push_back({.name = name, .group = group, .lost_at = {}});
    } else {
      known->group = group;
      known->lost_at.reset();
    }
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
  const auto known = std::ranges::find(pool.nodes, node, &PoolNode::name);
  if (known != pool.nodes.end() && known->group.value_or(group) == group)
    known->lost_at = last_word;
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
