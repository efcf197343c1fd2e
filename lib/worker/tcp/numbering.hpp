// This process as one rank, according to the variables of the launcher, of torchrun, of Slurm or of an
// environment set up by hand. Uses only the environment and, for messages, the host's name.
#pragma once

#include "muster/muster.h"
#include "worker/environment.hpp"
#include "worker/rank_info.hpp"

#include <optional>
#include <string_view>

namespace muster::worker::tcp {

// Everything except the address. Values that the environment does not give are `unknown`. Throws Error
// (environment) if it does not give rank and size in this numbering.
RankInfo rank_info_of(const Environment& environment, muster_numbering numbering);

// How many tasks are on this node and how many come before it, from Slurm's "2(x3),1".
struct TasksOfNode {
  int before = 0;
  int here = 0;
};
std::optional<TasksOfNode> tasks_of_node(std::string_view tasks_per_node, int node);

}  // namespace muster::worker::tcp
