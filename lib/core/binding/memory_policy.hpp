// Chooses the kernel's memory policy for a task that wants memory near its CPUs.
#pragma once

#include "core/cpuset.hpp"
#include "core/option/value_types.hpp"
#include "wire/messages.hpp"

#include <string_view>

namespace muster::binding {

// What a node's kernel supports.
struct KernelMemory {
  CpuSet nodes;                // NUMA nodes: those with memory that are allowed here
  bool preferred_many = true;  // whether it can prefer several nodes (since Linux 5.15)
};

// `near`: the NUMA nodes of the task's CPUs. Strict uses them unchanged, so that the kernel can refuse
// them; preferred omits nodes without memory. If the kernel cannot express the wish, its own policy stays.
wire::MemoryPolicy memory_policy(option::Memory wanted, const CpuSet& near,
                                 const KernelMemory& kernel);

// "kernel", "preferred", "preferred-many", "strict".
std::string_view to_string(wire::MemoryPolicy::Mode mode);

}  // namespace muster::binding
