// A Topology as text that only this program reads back: the content of the cache. It is not meant
// for other programs or from untrusted sources; it is checked all the same.
#pragma once

#include "core/topology/topology.hpp"

#include <string>
#include <string_view>

namespace muster::topology {

std::string serialize(const Topology& topology);

// Throws Error for any text that serialize cannot have written.
Topology deserialize(std::string_view text);

}  // namespace muster::topology
