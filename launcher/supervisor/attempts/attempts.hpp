// An srun as the user sees it: one attempt after the other, until one ends well, or the restarts are
// used up, or another would be of no use.
#pragma once

#include "launcher/supervisor/attempts/launch.hpp"

namespace muster::attempts {

// Returns the exit code for this process, or does not return where no supervisor is wanted.
int run(const Launch& launch);

}  // namespace muster::attempts
