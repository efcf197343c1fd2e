// `muster run SCRIPT`: torchrun's command line. On one machine the supervisor starts the ranks itself;
// inside a Slurm allocation it becomes the srun that does.
#pragma once

#include "launcher/command/command.hpp"

namespace muster::run {

command::Command run_command();

}  // namespace muster::run
