// Reads the processor side of a loaded hwloc topology.
#pragma once

#include "core/topology/topology.hpp"

struct hwloc_bitmap_s;
struct hwloc_topology;

namespace muster::topology::hwloc {

CpuSet to_cpuset(const hwloc_bitmap_s* bitmap);

// Fills all of Topology except the devices.
Topology read_cpus(hwloc_topology* hwloc);

}  // namespace muster::topology::hwloc
