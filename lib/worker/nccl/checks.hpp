// Whether ranks can make a communicator together, from what they told: decided before NCCL starts,
// because NCCL itself would say it late, on one rank, or not at all. Pure.
#pragma once

#include "worker/error.hpp"
#include "worker/nccl/facts.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>

namespace muster::worker {

struct SeenRank {
  int rank = 0;
  RankFacts facts;
};

// The first fault as one line that begins with the node it is on; nothing when all is well. `mine`
// is one of the ranks seen. Nodes are asked for by name only when there is a fault to tell: a
// transport may have to look them up.
std::optional<Error> fault(std::span<const SeenRank> seen, const SeenRank& mine,
                           const NodeOf& node_of);

}  // namespace muster::worker
