// What the hardware, or the site's hwloc file for it, says: from the cache if it has been read
// before.
#pragma once

#include "core/file/trusted_file.hpp"
#include "core/topology/hwloc/load.hpp"
#include "launcher/topology/cache/cache.hpp"

#include <string>
#include <vector>

namespace muster::topology {

struct ScannedTopology {
  Topology topology;                  // without the facts that change while a node runs
  std::string source;                 // "scan of this machine, from the cache in /dev/shm/..."
  std::vector<std::string> warnings;  // the site's file cannot be used, and why
};

// `file`: the site's hwloc XML for this node, or empty. A file that cannot be read, or of a machine
// without this one's CPUs, is not used. Throws Error if the machine cannot be scanned either.
ScannedTopology scanned_topology(const std::string& file, const file::Trust& trust,
                                 hwloc::Scan scan, cache::TopologyCache& cache);

}  // namespace muster::topology
