// logs= together with srun's own options, and what the patterns of logs= and report= stand for.
#pragma once

#include "core/environment.hpp"
#include "core/logs/names.hpp"
#include "core/request/request.hpp"
#include "core/srun/command.hpp"

namespace muster::supervision {

// What the attempts of this srun have in common. Only the step is not known yet.
logs::AttemptName name_of_run(const srun::Command& command, const Environment& environment);

// Throws Error if srun's own options or variables send the output elsewhere. Called before anything is
// allocated.
void check_logs(const request::Request& request, const srun::Command& command,
                const Environment& environment);

}  // namespace muster::supervision
