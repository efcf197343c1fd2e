// groups=: each group of nodes has a supervisor of its own, in a process of its own, which restarts it alone.
// This process divides the job's nodes among them, passes signals on, and ends the run when too few of them
// are left.
#pragma once

#include "launcher/supervisor/attempts/launch.hpp"

namespace muster::groups {

// Throws an Error of one line if groups= cannot work with this request, before an allocation is made for
// nothing.
void check(const site::Site& site, const request::Request& request, const srun::Command& command);

// Returns the exit code for this process. Throws an Error of one line if the step cannot be divided.
int run(const attempts::Launch& launch);

}  // namespace muster::groups
