// Decides which of the step's GPUs belong to which task.
#pragma once

#include "core/binding/devices/gpu_list.hpp"

#include <cstddef>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::binding::devices {

// One list per task. With as many tasks as GPUs, each task gets one GPU, in the given order. With more
// tasks, GPUs are shared in turn, so that `LOCAL_RANK % count` is a task's GPU. With fewer tasks, each gets
// an even share of GPUs: preferably GPUs connected by the fastest links, then GPUs near each other.
std::vector<GpuList> share_gpus(const topology::Topology& topology, const GpuList& gpus,
                                std::size_t tasks);

// All GPUs as one task would list them: its own first, then the others by distance from its first
// GPU.
GpuList nearest_first(const topology::Topology& topology, const GpuList& gpus, const GpuList& own);

// One order for every task of a node: entry LOCAL_RANK is a GPU of that rank.
GpuList shared_order(const GpuList& gpus, const std::vector<GpuList>& shares);

}  // namespace muster::binding::devices
