// The components of `srun A : B` as command lines of their own. Pure.
#pragma once

#include "core/srun/command.hpp"

#include <vector>

namespace muster::srun {

// Whether there is more than one, on this line: not with --het-group.
bool has_components(const Command& command);

// Each with srun's word, its own options and its program. A component without --distributed or --jobid gets
// the first one's.
std::vector<Command> component_commands(const Command& command);

}  // namespace muster::srun
