// GPUs of a node, in a meaningful order.
#pragma once

#include <cstddef>
#include <vector>

namespace muster::binding::devices {

using GpuList = std::vector<std::size_t>;  // positions in Topology::gpus

}  // namespace muster::binding::devices
