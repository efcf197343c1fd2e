// How the tasks and nodes of a step are numbered.
#pragma once

#include <cstdint>

namespace muster::layout {

// Slurm's task number in the step (SLURM_PROCID), and a node's position in the step's host list.
using ProcId = std::uint32_t;
using NodeIndex = std::uint32_t;

}  // namespace muster::layout
