// An srun as the user sees it: one attempt after another, until one succeeds, the restarts are used up, or
// another attempt would be useless.
#pragma once

#include "launcher/supervisor/attempts/launch.hpp"

namespace muster::attempts {

// Returns the exit code for this process. Without a supervisor (supervise=off) it does not return: srun takes
// this process over.
int run(const Launch& launch);

}  // namespace muster::attempts
