// RDMA devices of this node, from sysfs.
#pragma once

#include <string>

namespace muster::agent {

// Devices with an active port, as NCCL_IB_HCA names them exactly: "=mlx5_0,mlx5_1"; empty when
// there is none. `sys` is the root of sysfs.
std::string active_hcas(const std::string& sys = "/sys");

// Whether there is any RDMA device, active or not.
bool has_rdma(const std::string& sys = "/sys");

}  // namespace muster::agent
