// What a key needs. A launch that lacks it refuses the key where the user asks for it, and passes over a
// site's default. Each value includes those above it.
#pragma once

#include <cstdint>

namespace muster::option {

enum class Need : std::uint8_t {
  nothing,     // it holds however the ranks are started
  node,        // likewise, and each node takes its own site's value
  agent,       // muster's process beside the ranks, which muster exec lacks
  supervisor,  // muster's process beside srun, which supervise=off leaves out
  slurm,       // a job of Slurm's, which muster run lacks
};

}  // namespace muster::option
