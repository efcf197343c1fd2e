// Counts what a node's ranks and their descendants have written.
#pragma once

#include "launcher/agent/ranks/exit_deadline.hpp"
#include "launcher/agent/ranks/ranks.hpp"

#include <vector>

namespace muster::ranks {

// Indexed by local task ID. Leaves out processes whose counts cannot be read. Reads all of /proc.
std::vector<WrittenByProcess> written_by(const Ranks& ranks);

}  // namespace muster::ranks
