// What this node's kernel can do about where memory comes from.
#pragma once

#include "core/binding/memory_policy.hpp"

namespace muster::agent {

// Tries the kernel on the calling thread, whose policy is the default afterwards.
KernelMemory kernel_memory();

}  // namespace muster::agent
