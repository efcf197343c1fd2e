// The program on srun's command line, as far as the submit host can judge it.
#pragma once

#include "launcher/supervise/srun_command.hpp"

#include <string>

namespace muster::supervise {

// The program runs in a container or in another directory, or is one of several: its name means
// nothing here, and perhaps nothing on the nodes either.
bool program_elsewhere(const SrunCommand& command);

// Why the program cannot be started, found before anything is allocated; empty if it may be right.
// Only a path relative to this directory is judged: the job starts in the same directory.
std::string missing_program(const SrunCommand& command);

}  // namespace muster::supervise
