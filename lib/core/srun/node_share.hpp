// The options of a step that gets an equal part of its node, next to other steps of the same job. Pure.
#pragma once

#include "core/environment.hpp"
#include "core/srun/line.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::srun {

struct NodeShare {
  std::uint32_t parts = 1;          // of the node, of which the step gets one
  std::uint32_t cpus_per_task = 1;  // unless the user has chosen
  std::uint32_t gpus = 0;           // the job's on the node, if no option of the user counts them
};

// Whether share_options() replaces this option of the user's.
bool is_of_node_share(std::string_view option);

// `line`: of the step that is divided, for all its nodes. Throws an Error of one line if something that it
// asks for cannot be divided evenly.
std::vector<std::string> share_options(const Line& line, const Environment& environment,
                                       const NodeShare& share);

// The CPUs that each task of a part can have. A core is never divided among parts. `cpus`: the job's on the
// node. 0 if there are fewer cores than parts.
std::uint32_t cpus_per_task(std::uint32_t cpus, std::uint32_t threads_per_core, std::uint32_t parts,
                            std::uint32_t tasks_of_part);

}  // namespace muster::srun
