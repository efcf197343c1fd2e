// Checks whether this node can start the user's program. Runs before any task starts, so that a typing
// error gives one line instead of one per task.
#pragma once

#include "core/environment.hpp"

#include <string>
#include <vector>

namespace muster::node {

// Why the program cannot be started, without the node's name; empty if it can, or if muster cannot tell.
// Looks where slurmstepd would: in the job's PATH and its working directory.
std::string missing_program(const std::vector<std::string>& arguments,
                            const Environment& environment, const std::string& directory);

}  // namespace muster::node
