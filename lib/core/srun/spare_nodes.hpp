// Spare nodes of an allocation: the size of a step, and some nodes more. Pure.
#pragma once

#include "core/srun/line.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::srun {

// The options that replace the line's own: what counts nodes, tasks or GPUs of the whole, in proportion.
// Nothing without spares. Throws Error where the line does not say how many nodes the step has, or its
// tasks do not divide among them.
std::vector<std::string> with_spares(const Line& line, std::uint32_t spares);

}  // namespace muster::srun
