// The numbers of a step's ranks and nodes as frameworks count them. Each agent computes them once from the
// layout.
#pragma once

#include "core/layout/ids.hpp"
#include "core/option/value_types.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace muster::layout {
struct Layout;
}

namespace muster::layout {

struct RankNumbering {
  std::vector<std::uint32_t> rank_of_task;  // empty: the rank is Slurm's task number
  std::vector<std::uint32_t> node_ranks;    // by NodeIndex
  std::vector<std::uint32_t> tasks_of_node;
  std::uint32_t nodes = 0;                      // nodes that have tasks
  std::optional<std::uint32_t> tasks_per_node;  // no value if the nodes differ

  [[nodiscard]] std::uint32_t rank(ProcId task) const {
    return rank_of_task.empty() ? task : rank_of_task[task];
  }
};

// Linear in the number of tasks and nodes.
RankNumbering number_ranks(const Layout& layout, option::Ranks ranks);

// A rank's position among the ranks with the same local rank, ordered by node rank, and the number
// of these ranks (Horovod's cross communicator).
struct Cross {
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
};
Cross cross(const RankNumbering& step, NodeIndex node, std::uint32_t local_rank);

}  // namespace muster::layout
