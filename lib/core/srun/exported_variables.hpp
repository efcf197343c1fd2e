// Which variables srun passes on to the ranks, as far as that can be known before it runs.
#pragma once

#include "core/environment.hpp"

namespace muster::srun {
struct Command;
}

namespace muster::srun {

// False if --export= or srun's variables select some: srun then decides, and the nodes see the result.
bool hands_on_everything(const Command& command, const Environment& environment);

}  // namespace muster::srun
