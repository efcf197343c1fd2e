// A step's layout as the one line that srun sends along to the nodes.
#pragma once

#include "spank/slurm_api.hpp"

#include <string>

namespace muster::spank {

// Each component's tasks by the ranks that they will have; empty where Slurm's numbers cannot be.
std::string step_line(const StepLayout& layout);

}  // namespace muster::spank
