// The process that keeps torchft's lighthouse running: see lighthouse.hpp.
#pragma once

#include "core/environment.hpp"
#include "launcher/os/descriptor.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::attempts {
class NodePool;
}

namespace muster::groups {

struct LighthouseCommand {
  std::string srun;
  std::string job;
  std::string host = {};  // this one, if it is one of the job's nodes: the run ends with it
  std::vector<std::string> words;  // the lighthouse's own command
  std::uint32_t min = 1;           // groups that train
};

// Passes the connections of `listener` on to it. Returns when it gives up, after it has told the user why.
void keep_lighthouse(const LighthouseCommand& command, attempts::NodePool& pool,
                     const Environment& environment, os::Descriptor listener);

}  // namespace muster::groups
