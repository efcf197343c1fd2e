// The layout from Slurm's own variables, where no line of srun's shim arrived.
#pragma once

#include "core/environment.hpp"
#include "core/layout/layout.hpp"

#include <vector>

namespace muster::layout {

// Tries block, cyclic, plane, and the hosts of an arbitrary distribution where Slurm names them. The
// result is the one that puts `local_tasks` (SLURM_GTIDS) on `here`. Throws Error where none does.
Layout layout_from_variables(const Environment& environment, NodeIndex here,
                             const std::vector<ProcId>& local_tasks);

}  // namespace muster::layout
