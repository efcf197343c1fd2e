// Which variables srun hands on to the ranks, as far as that can be seen before it runs.
#pragma once

#include "core/environment.hpp"

namespace muster::srun {
struct Command;
}

namespace muster::srun {

// False where --export= or its variables choose: srun then decides, and the nodes see what came.
bool hands_on_everything(const Command& command, const Environment& environment);

}  // namespace muster::srun
