// The address at which the ranks of one attempt listen for queries to NCCL's RAS on each node.
#pragma once

#include <cstdint>
#include <string>

namespace muster::plan {

// "127.18.52.86:28028": NCCL's own port, on a loopback address that no other step on the node uses. With
// NCCL's default, a query could reach any process of the user on that node.
std::string ras_address(const std::string& run_id, std::uint32_t attempt);

}  // namespace muster::plan
