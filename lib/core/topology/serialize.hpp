// A Topology as text that this same program reads back: what the cache holds. Not for other
// programs, and not from strangers; it is checked all the same.
#pragma once

#include "core/topology/topology.hpp"

#include <string>
#include <string_view>

namespace muster::topology {

std::string serialize(const Topology& topology);

// Throws Error for text that serialize cannot have written.
Topology deserialize(std::string_view text);

}  // namespace muster::topology
