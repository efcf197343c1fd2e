// A Topology as text that only this program reads back: the content of the cache. It is not meant for other
// programs and does not come from untrusted sources, but it is checked nevertheless.
#pragma once

#include "core/topology/topology.hpp"

#include <string>
#include <string_view>

namespace muster::topology {

std::string serialize(const Topology& topology);

// Throws Error for text that serialize cannot have written.
Topology deserialize(std::string_view text);

}  // namespace muster::topology
