// Draws a node by hwloc's own lstopo, as a child process that gets no shell, little time and little
// of our environment.
#pragma once

#include "core/plan/drawing.hpp"

#include <string>

namespace muster::picture {

// SVG. Throws Error: there is no lstopo, it refuses, or it takes too long.
std::string run_lstopo(const plan::Drawing& drawing);

}  // namespace muster::picture
