// Compares a node's counters at two moments: do its ranks move more than noise would? Pure.
#pragma once

#include "core/status/status.hpp"

#include <chrono>
#include <cstdint>

namespace muster::hang {

// A hung step is not silent: monitoring reads each node's counters over the network, and every rank of
// torch's NCCL backend asks the store of rank 0 once a second whether another rank has failed. In bytes per
// second, both directions together.
struct Noise {
  std::int64_t network = 0;  // bytes of a node's devices; the same limit holds for its RDMA devices
  std::int64_t files = 0;    // bytes of the ranks' system calls, which may count sockets as files
};
Noise noise(std::uint32_t ranks_of_step);

// `now` was counted after `before`, on the same node.
bool moves(const status::Counts& before, const status::Counts& now, std::uint32_t ranks_of_step);

// The same, but considers only signs that a dump between the two samples does not cause: a dump uses the
// network and makes the ranks answer.
bool moves_despite_dump(const status::Counts& before, const status::Counts& now);

}  // namespace muster::hang
