// logs= beside srun's own options, and what the patterns of logs= and report= stand for.
#pragma once

#include "core/environment.hpp"
#include "core/logs/names.hpp"
#include "core/request/request.hpp"
#include "core/srun/command.hpp"

namespace muster::supervision {

// What this srun's attempts have in common. The step is known later.
logs::AttemptName name_of_run(const srun::Command& command, const Environment& environment);

// Throws Error where srun's own options, or its variables, send the output elsewhere: before anything is
// allocated.
void check_logs(const request::Request& request, const srun::Command& command,
                const Environment& environment);

}  // namespace muster::supervision
