// What root's boot unit runs so that no user's step has to scan a node: `muster topo --cache`.
#pragma once

#include <string>

namespace muster::site {
class Site;
}

namespace muster::topology {

// Reads this node's topology in every way that a step may need, and stores it in the cache specified in the
// site's file. Returns a line that says where the cache is. Throws Error if nothing could be written.
std::string fill_topology_cache(const site::Site& site);

}  // namespace muster::topology
