// This process as one rank, from the variables of the launcher, of torchrun, of Slurm or of a
// hand-made environment. Asks nothing but the environment and, for messages, the host's name.
#pragma once

#include "muster/muster.h"
#include "worker/environment.hpp"
#include "worker/rank_info.hpp"

#include <optional>
#include <string_view>

namespace muster::worker::tcp {

// Everything but the address. What the environment does not say is `unknown`. Throws Error
// (environment) where it does not say rank and size in this numbering.
RankInfo rank_info_of(const Environment& environment, muster_numbering numbering);

// How many tasks come before this node and on it, by Slurm's "2(x3),1".
struct TasksOfNode {
  int before = 0;
  int here = 0;
};
std::optional<TasksOfNode> tasks_of_node(std::string_view tasks_per_node, int node);

}  // namespace muster::worker::tcp
