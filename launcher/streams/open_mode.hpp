// srun's files of output (-o, -e) over several attempts.
#pragma once

#include "core/environment.hpp"
#include "launcher/supervise/srun_command.hpp"

namespace muster::streams {

// The command of an attempt after the first: its files keep what the attempts before have written
// (--open-mode=append), unless the user chose a mode. Pure.
supervise::SrunCommand appending(supervise::SrunCommand command, const Environment& environment);

}  // namespace muster::streams
