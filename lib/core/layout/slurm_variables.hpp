// The layout from Slurm's own variables, for steps without a line from the shim in srun.
#pragma once

#include "core/environment.hpp"
#include "core/layout/layout.hpp"

#include <vector>

namespace muster::layout {

// Tries block, cyclic, plane, and the hosts of an arbitrary distribution if Slurm names them. The result is
// the one that puts `local_tasks` (SLURM_GTIDS) on `here`. Throws Error if none does.
Layout layout_from_variables(const Environment& environment, NodeIndex here,
                             const std::vector<ProcId>& local_tasks);

}  // namespace muster::layout
