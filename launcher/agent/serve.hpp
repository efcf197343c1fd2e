// An agent's life, from its pipe's first frame to the end of the step: facts in, the plan out, then the
// tasks' ends.
#pragma once

#include "launcher/site/site.hpp"

namespace muster::agent {

// `pipe`: a socket whose other end starts the tasks, which is the shim in slurmstepd or `muster run`.
// Returns the exit code; changes this process's signals.
int serve(int pipe, const site::SiteOptions& site);

}  // namespace muster::agent
