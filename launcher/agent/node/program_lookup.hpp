// Can this node start the user's program? Checked before any task starts, so that a typing error is
// one line and not one per task.
#pragma once

#include "core/environment.hpp"

#include <string>
#include <vector>

namespace muster::node {

// Why it cannot be started, without the node's name; empty if it can, or if muster cannot know.
// Looks where slurmstepd would: PATH of the job, the job's working directory.
std::string missing_program(const std::vector<std::string>& arguments,
                            const Environment& environment, const std::string& directory);

}  // namespace muster::node
