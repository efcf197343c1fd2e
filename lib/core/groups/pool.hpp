// Which group has which of the job's nodes. A group takes nodes when an attempt of its begins, and no other
// group can take them until it has let them go. Pure.
#pragma once

#include "core/record/limits.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::groups {

inline constexpr std::size_t max_nodes = 20'000;

// CLOCK_MONOTONIC of the host on which the supervisors of all groups run.
using Moment = std::chrono::nanoseconds;

// If groups have parts of nodes, each of the equal parts, under the node's name.
struct PoolNode {
  std::string name;
  std::optional<std::uint32_t> group;  // who has it; none: it is free
  std::optional<Moment>
      lost_at;                 // its last word, if a group has lost it and nobody has used it since
  bool drained = false;        // when Slurm was last asked
  bool is_being_left = false;  // the group that has it stops its ranks, to use another node instead

  friend bool operator==(const PoolNode&, const PoolNode&) = default;
};

template <class Io>
void fields(Io& io, PoolNode& node) {
  io(node.name, record::Max{255})(node.group);
  io(node.lost_at, record::Range{Moment(0), Moment(record::max_time)});
  io(node.drained)(node.is_being_left);
}

struct Pool {
  std::vector<PoolNode> nodes;  // parts of a node are next to each other
  std::uint32_t parts = 1;      // of each node; each group has whole nodes or one part of one
  std::vector<std::uint32_t> short_of_nodes =
      {};  // groups whose supervisors have given up for that reason

  // The lighthouse that the groups used is gone, and another one may serve them only once all have ended.
  bool lighthouse_lost = false;

  friend bool operator==(const Pool&, const Pool&) = default;
};

template <class Io>
void fields(Io& io, Pool& pool) {
  io(pool.nodes, record::Max{max_nodes})(pool.parts, record::Range{1U, 1024U});
  io(pool.short_of_nodes, record::Max{max_nodes});
  io(pool.lighthouse_lost);
}

// The nodes that the group has, in the pool's order.
std::vector<std::string> nodes_of(const Pool& pool, std::uint32_t group);

// Those that it has, and those that are free, in the pool's order.
std::vector<PoolNode> open_to(const Pool& pool, std::uint32_t group);

// Gives the group exactly these nodes; what else it had is free. False, and nothing changes, if another group
// has one of them. The pool gets the nodes that it does not know: Slurm may add some to a job.
bool take(Pool& pool, std::uint32_t group, std::span<const std::string> nodes);

// The group runs no more. Its nodes are free.
void let_go(Pool& pool, std::uint32_t group);

// The group has lost this node, which it keeps until it takes others, or a free node turns out to be lost.
// The node's free parts are lost, too; other groups notice by themselves. Ignored if only other groups have
// the node: one that the group lost earlier may have come back.
void lose(Pool& pool, std::uint32_t group, const std::string& node, Moment last_word);

// The job has these nodes no more.
void remove(Pool& pool, std::span<const std::string> nodes);

// Exactly these nodes are being drained.
void set_drained(Pool& pool, std::span<const std::string> nodes);

// Those of the group's nodes that are being drained, in the pool's order.
std::vector<std::string> drained_of(const Pool& pool, std::uint32_t group);

// The group will leave its drained nodes. False, and nothing changes, unless `free` nodes are enough to
// replace them and the nodes that other groups are leaving.
bool leave_drained(Pool& pool, std::uint32_t group, std::size_t free);

}  // namespace muster::groups
