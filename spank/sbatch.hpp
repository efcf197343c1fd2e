// The shim inside sbatch and salloc, where it only passes the option on.
#pragma once

#include "spank/option.hpp"
#include "spank/plugstack.hpp"
#include "spank/slurm_api.hpp"

namespace muster::spank {

// Called after the options have been parsed, so that a bad value fails here rather than in the queue. Returns
// 0 to continue.
int submission_options_parsed(SlurmApi& slurm, const Option& option, const Plugstack& line);

}  // namespace muster::spank
