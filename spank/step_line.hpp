// A step's layout as a single line that srun sends to the nodes.
#pragma once

#include "spank/slurm_api.hpp"

#include <string>

namespace muster::spank {

// Each component's tasks by their later ranks; empty if Slurm's numbers are inconsistent.
std::string step_line(const StepLayout& layout);

}  // namespace muster::spank
