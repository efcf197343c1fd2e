// This process becomes the supervisor. It takes on the program, command line, directory and environment of
// the one that has died, and receives its handover.
#pragma once

#include "core/restart/handover.hpp"
#include "core/slurm/job.hpp"

#include <optional>

namespace muster::successor {

// From now on, output goes to the job's files, if they exist here. Throws Error if the program cannot be
// started.
[[noreturn]] void take_over(const restart::Handover& handover, const slurm::Job& job);

// In the new supervisor: the handover, on the first call. No value in any other process. Throws Error if it
// is damaged.
std::optional<restart::Handover> take_handover();

}  // namespace muster::successor
