// What this node's kernel can do to control where memory is placed.
#pragma once

#include "core/binding/memory_policy.hpp"

namespace muster::node {

// Tries it out on the kernel; the calling thread keeps its policy.
binding::KernelMemory kernel_memory();

}  // namespace muster::node
