// The CPUs that this process may run on, according to the kernel.
#pragma once

#include "core/cpuset.hpp"

namespace muster::os {

CpuSet own_cpus();

}  // namespace muster::os
