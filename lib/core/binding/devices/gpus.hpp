// Which of the step's GPUs belong to which task.
#pragma once

#include "core/binding/devices/gpu_list.hpp"
#include "core/topology/topology.hpp"

#include <cstddef>
#include <vector>

namespace muster::binding::devices {

// One list per task. As many tasks as GPUs: one each, in the order given. More tasks: GPUs are
// shared in turn, so that `LOCAL_RANK % count` names them. Fewer: even shares of GPUs that are
// joined by the fastest links, then near each other.
std::vector<GpuList> share_gpus(const topology::Topology& topology, const GpuList& gpus,
                                std::size_t tasks);

// All GPUs as one task would list them: its own first, the others by distance from its first.
GpuList nearest_first(const topology::Topology& topology, const GpuList& gpus, const GpuList& own);

// One order for every task of a node, in which place LOCAL_RANK holds a GPU of that rank.
GpuList shared_order(const GpuList& gpus, const std::vector<GpuList>& shares);

}  // namespace muster::binding::devices
