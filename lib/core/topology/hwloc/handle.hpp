// Owns an hwloc topology. Only .cpp files include hwloc, so its types are only declared here.
#pragma once

#include "core/topology/hwloc/scan.hpp"

#include <memory>

struct hwloc_topology;

namespace muster::topology::hwloc {

struct HwlocDestroy {
  void operator()(hwloc_topology* topology) const;
};
using HwlocHandle = std::unique_ptr<hwloc_topology, HwlocDestroy>;

// Configured to read what `scan` selects, without vendor backends; not loaded yet.
HwlocHandle new_hwloc_topology(Scan scan);

// Returns false and sets errno if hwloc fails; prints nothing.
bool load_hwloc_topology(hwloc_topology* topology);

}  // namespace muster::topology::hwloc
