// Chooses the kernel's memory policy for a task that wants memory near its CPUs.
#pragma once

#include "core/cpuset.hpp"
#include "core/option/value_types.hpp"
#include "wire/messages.hpp"

#include <string_view>

namespace muster::binding {

// What the kernel of a node offers.
struct KernelMemory {
  CpuSet nodes;                // NUMA nodes: those with memory that are allowed here
  bool preferred_many = true;  // the policy that prefers several nodes, since Linux 5.15
};

// `near`: the NUMA nodes of the task's CPUs. Strict uses them unchanged, so that the kernel can
// refuse them; preferred omits nodes without memory. The kernel's own policy stays where the kernel
// cannot express the wish.
wire::MemoryPolicy memory_policy(option::Memory wanted, const CpuSet& near,
                                 const KernelMemory& kernel);

// "kernel", "preferred", "preferred-many", "strict".
std::string_view to_string(wire::MemoryPolicy::Mode mode);

}  // namespace muster::binding
