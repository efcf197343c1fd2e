// Checks logs= against srun's own options, and provides the values for the patterns of logs= and report=.
#pragma once

#include "core/environment.hpp"
#include "core/logs/names.hpp"
#include "core/request/request.hpp"
#include "core/request/step_streams.hpp"
#include "core/srun/command.hpp"

namespace muster::supervision {

// What the attempts of this srun have in common. Only the step is still unknown.
logs::AttemptName name_of_run(const srun::Command& command, const Environment& environment);

// Throws Error if srun's own options or variables send the output elsewhere. Called before anything is
// allocated.
void check_logs(const request::Request& request, const srun::Command& command,
                const Environment& environment);

// Where the output of this process's srun goes.
request::StepStreams streams_of(const srun::Command& command, const Environment& environment);

}  // namespace muster::supervision
