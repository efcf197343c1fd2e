// Where this process is in the layout, according to Slurm's variables: pure, and checked against PMIx.
#pragma once

#include "muster/muster.h"
#include "worker/environment.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::worker::pmix {

// What PMIx reports about this process and its node.
struct Local {
  std::string nspace;
  int procid = 0;
  int size = 1;
  int nodes = 1;
  std::vector<int> ranks;  // the ranks on this node, in Slurm's numbering, ascending
  std::string node;
  std::string node_list;  // comma-separated
};

struct Position {
  int node_rank = 0;
  int contiguous_rank = 0;
};

// SLURM_NODEID counts nodes in the order of the node list, which is the order of their lowest ranks except in
// an arbitrary distribution. No value if the variables contradict PMIx (a heterogeneous step, an arbitrary
// distribution, a stripped environment): in that case libpmix is asked node by node.
std::optional<Position> position_from_environment(const Environment& environment,
                                                  const Local& local);

// "2(x3),1" as {2,2,2,1}; empty for anything else or more than `max` numbers.
std::vector<int> tasks_per_node(std::string_view text, std::size_t max);

// Whether to count ranks node by node: either the caller asked for it, or the launcher did so for this step.
bool wants_contiguous(const Environment& environment, muster_numbering requested);

}  // namespace muster::worker::pmix
