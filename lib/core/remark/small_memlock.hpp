// NCCL and UCX lock the memory that an RDMA device reads and writes. Under a small limit they fail in their
// first collective, with a message that does not name the limit.
#pragma once

#include "core/environment.hpp"
#include "core/fabric/fabric.hpp"
#include "core/resources/task_resources.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace muster::remark {

struct MemoryLock {
  std::uint64_t bytes = 0;   // the limit of the node's tasks
  fabric::Evidence network;  // of the node
  std::size_t nodes = 1;     // in the step
};

// The remark for tasks with GPUs on a node with active RDMA ports. Empty if the step has one node, or if the
// environment keeps NCCL from using these ports.
std::string small_memlock(std::span<const resources::TaskResources> tasks, const MemoryLock& lock,
                          const Environment& environment);

}  // namespace muster::remark
