// Whether this node has RDMA devices at all, from sysfs.
#pragma once

#include <string>

namespace muster::os {

// InfiniBand, RoCE and the like, or Slingshot; active or not. `sys` is the root of sysfs.
bool has_rdma(const std::string& sys = "/sys");

}  // namespace muster::os
