// Which ranks have come to the rendezvous, while others are still missing. Pure.
#pragma once

#include "core/status/status.hpp"

#include <cstddef>
#include <string>

namespace muster::status {

// "5 of 6 ranks; missing: rank 3 on node2", as many names as fit into the columns. Empty if all running ranks
// are there, or none: programs may meet elsewhere; and if a node has not told.
std::string at_store_text(const Step& step, std::size_t columns);

}  // namespace muster::status
