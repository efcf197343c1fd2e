// srun's files of output (-o, -e) over several attempts.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"

namespace muster::srun {

// The command of an attempt after the first: its files keep what the attempts before have written
// (--open-mode=append), unless the user chose a mode. Pure.
Command appending(Command command, const Environment& environment);

}  // namespace muster::srun
