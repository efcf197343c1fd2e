// The CPUs that this process may run on, as the kernel says.
#pragma once

#include "core/cpuset.hpp"

namespace muster::os {

CpuSet own_cpus();

}  // namespace muster::os
