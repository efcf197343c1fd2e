// What a node's counters say between two looks: whether its ranks move more than is noise. Pure.
#pragma once

#include "core/status/status.hpp"

#include <chrono>
#include <cstdint>

namespace muster::hang {

// A hung step is not silent: monitoring reads each node's counters over the network, and every rank
// of torch's NCCL backend asks the store of rank 0 once a second whether another has failed.
// In bytes a second, in both directions together.
struct Noise {
  std::int64_t network = 0;  // of a node's devices, and also of its RDMA devices
  std::int64_t files = 0;    // of the ranks' system calls, for which sockets may be files
};
Noise noise(std::uint32_t ranks_of_step);

// `now` was counted after `before`, on the same node.
bool moves(const status::Counts& before, const status::Counts& now, std::uint32_t ranks_of_step);

// The same by those signs alone that a dump between the two does not move: it goes over the network, and
// has the ranks answer.
bool moves_despite_dump(const status::Counts& before, const status::Counts& now);

}  // namespace muster::hang
