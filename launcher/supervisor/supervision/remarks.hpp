// Lines about a launch that goes on, before srun starts. srun's --quiet silences them, as it
// silences those of the nodes.
#pragma once

#include "core/srun/command.hpp"

#include <string>

namespace muster::supervision {

// srun's --quiet or -Q, also among other letters (-lQ).
bool is_quiet(const srun::Command& command);

// srun's --pty: what runs is mostly a shell, and ends with the code of what was typed last.
bool is_interactive(const srun::Command& command);

// Nothing for an empty line.
void remark(const srun::Command& command, const std::string& line);

}  // namespace muster::supervision
