// salloc as this process's child. Replacing this process by salloc would not do: once its command runs,
// salloc ignores the signals that srun passes on, so that `timeout 60 srun ...` would never end.
#pragma once

#include "launcher/supervise/srun.hpp"

#include <string>
#include <vector>

namespace muster::allocation {

// Runs salloc to its end. A signal to this process reaches salloc while it waits for resources, and then
// the supervisor that it has started. Ends as salloc does: a supervisor in it must end with an exit code,
// because of one that a signal ended salloc says 0 or 1. Throws Error if salloc cannot be started.
supervise::Ended run_salloc(const std::vector<std::string>& command);

}  // namespace muster::allocation
