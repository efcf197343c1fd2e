// A task's share of its node: CPUs, memory, GPUs and NICs, under the names that people know.
#pragma once

#include "core/cpuset.hpp"
#include "core/env_var.hpp"
#include "core/record/limits.hpp"
#include "wire/messages.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster::resources {

struct TaskGpu {
  std::optional<unsigned> index;  // the vendor's, or Slurm's if the vendor is unknown
  std::string busid;              // PCI address; empty if unknown
  std::optional<std::string> uuid;

  friend bool operator==(const TaskGpu&, const TaskGpu&) = default;
};
template <class Io>
void fields(Io& io, TaskGpu& gpu) {
  constexpr record::Max text{256};
  io(gpu.index)(gpu.busid, text)(gpu.uuid, text);
}

// The part of the step's GPUs that the task sees.
struct GpuView {
  std::vector<EnvVar> variables = {};  // CUDA_VISIBLE_DEVICES and the like
  std::vector<std::size_t> own = {};   // the task's own, as indexes among the GPUs that it sees

  friend bool operator==(const GpuView&, const GpuView&) = default;
};

// NICs in each communication library's syntax; empty if a library has none.
struct FabricNames {
  std::string nccl = {};  // NCCL_IB_HCA: the node's, the same for every rank
  std::string ucx = {};   // UCX_NET_DEVICES: the task's nearest ports
  std::string cxi = {};   // FI_CXI_DEVICE_NAME: the node's

  friend bool operator==(const FabricNames&, const FabricNames&) = default;
};

struct TaskResources {
  CpuSet cpus = {};                    // empty: keep Slurm's mask
  std::size_t threads = 0;             // physical cores, for OMP_NUM_THREADS; 0 if unknown
  CpuSet numa = {};                    // memory nodes of these CPUs
  wire::MemoryPolicy memory = {};      // the kernel's policy for these nodes
  bool cpus_required = false;          // the task must not start without these CPUs
  std::vector<TaskGpu> gpus = {};      // its own, nearest first
  std::vector<std::string> nics = {};  // nearest RDMA devices
  GpuView view = {};
  FabricNames fabric = {};

  friend bool operator==(const TaskResources&, const TaskResources&) = default;
};

// The memory nodes as text: "0", or "0 only" if no other is allowed (memory=strict).
std::string memory_text(const TaskResources& resources);

}  // namespace muster::resources
