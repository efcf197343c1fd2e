// srun's --kill-on-bad-exit: whether the first failure ends the step.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"

#include <optional>

namespace muster::srun {

// What the user chose, by the option (-K, in any of its forms) or by SLURM_KILL_BAD_EXIT; no value if muster
// may choose. The option wins, as with srun.
std::optional<bool> chose_kill_on_bad_exit(const Environment& environment, const Command& command);

// The command with muster's own choice, unless the user chose. It is an option because a variable would reach
// the tasks, where an srun would mistake it for the user's choice.
Command with_kill_on_bad_exit(const Command& command, const Environment& environment, bool on);

}  // namespace muster::srun
