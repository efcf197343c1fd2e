// srun's output files (-o, -e) over several attempts.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"

namespace muster::srun {

// The command of any attempt but the first. Unless the user chose a mode, srun appends to the files of the
// earlier attempts (--open-mode=append). Pure.
Command appending(Command command, const Environment& environment);

}  // namespace muster::srun
