// Whether srun's standard error tells that somebody cancelled a step. Without accounting, Slurm forgets a
// step when it ends, and the ranks' exit codes do not say who sent the signal. Pure.
#pragma once

#include <string_view>

namespace muster::slurm {

// `text`: what srun has written during the step. `step`: "42.0".
//
// True if slurmstepd says that it was told to signal the step, and nothing in the text says that Slurm, srun
// or an MPI plugin did so because of something that had failed before.
bool tells_of_cancel(std::string_view text, std::string_view step);

}  // namespace muster::slurm
