// What a key needs in order to work. A launch that does not have it refuses the key if the user asks for
// it, and ignores the site's default. Each value includes those above it.
#pragma once

#include <cstdint>

namespace muster::option {

enum class Need : std::uint8_t {
  nothing,     // works however the ranks are started
  node,        // likewise; each node uses the value of its own site's file
  agent,       // muster's process on each node next to the ranks, which muster exec lacks
  supervisor,  // muster's process next to srun, which supervise=off leaves out
  slurm,       // a Slurm job, which muster run lacks
};

}  // namespace muster::option
