// The process that keeps torchft's lighthouse running: see lighthouse.hpp.
#pragma once

#include "core/environment.hpp"
#include "launcher/os/descriptor.hpp"

namespace muster::attempts {
class NodePool;
}

namespace muster::groups {

struct LighthouseCommand;

// Passes the connections of `listener` on to it. Returns when it gives up, after it has told the user why.
void keep_lighthouse(const LighthouseCommand& command, attempts::NodePool& pool,
                     const Environment& environment, os::Descriptor listener);

}  // namespace muster::groups
