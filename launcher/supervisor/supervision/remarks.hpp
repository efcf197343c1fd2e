// Lines about a launch that continues, shown before srun starts. srun's --quiet suppresses them, as it
// suppresses the nodes' lines.
#pragma once

#include "core/srun/command.hpp"

#include <string>

namespace muster::supervision {

// srun's --quiet or -Q, also among other letters (-lQ).
bool is_quiet(const srun::Command& command);

// srun's --pty: the program is usually a shell, whose exit code is that of the last command that was typed.
bool is_interactive(const srun::Command& command);

// srun's --async.
bool is_asynchronous(const srun::Command& command);

// Shows the line, unless it is empty.
void remark(const srun::Command& command, const std::string& line);

}  // namespace muster::supervision
