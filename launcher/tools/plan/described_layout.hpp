// A layout described by the user: "node[1-4]:8,big1:4", for a plan without Slurm.
#pragma once

#include "core/layout/layout.hpp"

#include <string_view>

namespace muster::plan {

// HOSTLIST:TASKS, separated by commas; `distribution` is block, cyclic or plane=N as in srun. Throws an Error
// of one line.
layout::Layout described_layout(std::string_view text, std::string_view distribution);

}  // namespace muster::plan
