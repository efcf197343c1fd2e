// Contradictions within a topology that hwloc has read from a file. hwloc trusts the file: it accepts a CPU
// that is in two packages, and plans for such a machine would be wrong without a warning.
#pragma once

#include <string>

struct hwloc_topology;

namespace muster::topology::hwloc {

// The first contradiction, as the end of a sentence about the topology ("has NUMANode 0 twice"); empty if
// there is none.
std::string find_contradiction(hwloc_topology* hwloc);

}  // namespace muster::topology::hwloc
