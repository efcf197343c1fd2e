// Which of the kernel's memory policies serves a task's wish for memory beside its CPUs.
#pragma once

#include "core/option/values.hpp"
#include "core/topology/cpu.hpp"
#include "wire/messages.hpp"

#include <string_view>

namespace muster::binding {

// What the kernel of a node has to offer.
struct KernelMemory {
  topology::NodeSet nodes;     // that have memory, and are allowed here
  bool preferred_many = true;  // the policy that prefers several nodes, since Linux 5.15
};

// `near`: the NUMA nodes of the task's CPUs. Strict keeps to them as they are, so that the kernel
// can refuse; what is only preferred leaves out those without memory. The kernel's own policy
// stays where it has none for such a wish.
wire::MemoryPolicy memory_policy(option::Memory wanted, const topology::NodeSet& near,
                                 const KernelMemory& kernel);

// "kernel", "preferred", "preferred-many", "strict".
std::string_view to_string(wire::MemoryPolicy::Mode mode);

}  // namespace muster::binding
