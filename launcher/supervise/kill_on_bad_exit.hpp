// srun's --kill-on-bad-exit, with which the user says whether the first failure ends the step.
#pragma once

#include "core/environment.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster::supervise {

// What the user chose, by the option (-K, in each of its forms) or by SLURM_KILL_BAD_EXIT; nothing
// where it is left to muster. The option wins, as with srun.
std::optional<bool> chose_kill_on_bad_exit(const Environment& environment,
                                           const std::vector<std::string>& srun_options);

}  // namespace muster::supervise
