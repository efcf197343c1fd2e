// Why a rank is slow, as far as its node tells. The agent compares counters at two moments, once somebody
// is suspected; these functions put that into words. Pure.
#pragma once

#include "core/slow/gpu.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace muster::slow {

// Shares are in thousandths of the time between the two moments; of a node, those of its slowest rank.
struct Evidence {
  std::optional<std::uint32_t> throttled = {};  // a control group had used up its CPU time
  std::optional<std::uint32_t> computing = {};  // of its main thread
  std::optional<std::uint32_t> queueing =
      {};                               // its main thread could have computed, but had no CPU
  std::uint32_t workers = 0;            // processes below it
  std::uint32_t workers_computing = 0;  // all together; 1000 is a whole core
  std::optional<std::uint32_t> memory_stall =
      {};  // tasks waited for memory, in its control group or on the node
  std::optional<std::uint32_t> faults = {};  // pages that it has read from disk, a second
  std::uint64_t segments = 0;                // of TCP, sent by the node
  std::uint64_t repeated = 0;                // of them, sent again
  std::optional<GpuEvidence> gpu = {};       // no value: no GPU, or none that NVML knows

  friend bool operator==(const Evidence&, const Evidence&) = default;
};
template <class Io>
void fields(Io& io, Evidence& evidence) {
  for (auto* const share : {&evidence.throttled, &evidence.computing, &evidence.queueing,
                            &evidence.memory_stall, &evidence.faults})
    io(*share);
  io(evidence.workers)(evidence.workers_computing)(evidence.segments)(evidence.repeated);
  io(evidence.gpu);
}

// "its CPUs are throttled 38 % of the time by its control group"; empty if nothing stands out.
// `time_percent`: of the time, for which it holds the others up.
std::string cause_of(const Evidence& evidence, double time_percent = 0);

// Whether a slow link to or from the node would explain all that the evidence shows: the rank waits, or
// does what it always does, and comes late because its data does.
bool fits_slow_link(Evidence evidence);

// Whether the node is so short of CPU time or memory that its connections are slow as well.
bool slows_connections(const Evidence& evidence);

}  // namespace muster::slow
