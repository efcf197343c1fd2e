// Draws a node with hwloc's own lstopo, in a child process without a shell, with limited time and a reduced
// environment.
#pragma once

#include "core/plan/drawing.hpp"

#include <string>

namespace muster::picture {

// Returns SVG. Throws Error if there is no lstopo, it fails, or it takes too long.
std::string run_lstopo(const plan::Drawing& drawing);

}  // namespace muster::picture
