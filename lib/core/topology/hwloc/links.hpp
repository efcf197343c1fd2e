// NVLink and XGMI from hwloc's distance matrices.
#pragma once

#include "core/topology/device.hpp"

#include <vector>

struct hwloc_obj;
struct hwloc_topology;

namespace muster::topology::hwloc {

// `gpus[i]` is the object of GPU i, or nullptr.
std::vector<GpuLink> read_gpu_links(hwloc_topology* hwloc, const std::vector<hwloc_obj*>& gpus);

}  // namespace muster::topology::hwloc
