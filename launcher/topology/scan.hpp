// What the hardware reports, or the site's hwloc file in its place. Comes from the cache if it has been read
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
  std::vector<std::string> warnings;  // why the site's file cannot be used
};

// `file`: the site's hwloc XML for this node, or empty. A file is ignored if it cannot be read, or if it
// describes a machine without this one's CPUs. Throws Error if the machine cannot be scanned either.
ScannedTopology scanned_topology(const std::string& file, const file::Trust& trust,
                                 hwloc::Scan scan, cache::TopologyCache& cache);

}  // namespace muster::topology
