// Checks, from the ranks' facts and before NCCL starts, whether they can form a communicator together. NCCL
// itself would report a fault late, on one rank, or not at all. Pure.
#pragma once

#include "worker/error.hpp"
#include "worker/nccl/facts.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>

namespace muster::worker::nccl {

struct SeenRank {
  int rank = 0;
  RankFacts facts;
};

// Whether the facts cover every rank of the step. If not, a message that counts ranks says so.
enum class Seeing { all, part };

// The first fault, as one line that begins with its node; no value if there is no fault. Each rank is
// compared with `mine`. Node names are looked up only to report a fault, because a transport may have to look
// them up remotely.
std::optional<Error> fault(std::span<const SeenRank> seen, const SeenRank& mine,
                           const NodeOf& node_of, Seeing seeing = Seeing::all);

// Only the check that no two ranks of a host use the same GPU.
std::optional<Error> fault_of_shared_gpus(std::span<const SeenRank> seen, const NodeOf& node_of);

}  // namespace muster::worker::nccl
