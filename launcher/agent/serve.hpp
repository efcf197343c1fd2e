// An agent's life, from the first frame on its pipe to the end of the step: receives the facts, sends the
// plan, then receives the tasks' ends.
#pragma once

#include "launcher/site/site.hpp"

namespace muster::agent {

// `pipe`: a socket whose other end starts the tasks, which is the shim in slurmstepd or `muster run`.
// Returns the exit code; changes this process's signals.
int serve(int pipe, const site::SiteOptions& site);

}  // namespace muster::agent
