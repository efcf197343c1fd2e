// Spare nodes of an allocation: nodes beyond the size of the step. Pure.
#pragma once

#include "core/environment.hpp"
#include "core/srun/line.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::srun {

// The options that replace the line's own: those that count the nodes, tasks or GPUs of the whole job, scaled
// in proportion. Empty if there are no spares. Throws Error if the line does not say how many nodes the step
// has, or if its tasks do not divide evenly among them.
std::vector<std::string> with_spares(const Line& line, std::uint32_t spares);

// Likewise for a whole step, with the options that its environment sets. Throws Error if it has several
// components, whose nodes cannot be replaced by others.
std::vector<std::string> with_spares(const std::vector<Line>& components,
                                     const Environment& environment, std::uint32_t spares);

}  // namespace muster::srun
