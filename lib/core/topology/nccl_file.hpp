// Reads NCCL's own description of a machine (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE): a tree of
// processors, PCI switches and devices.
#pragma once

#include "core/topology/placement.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace muster::topology {

inline constexpr std::size_t max_nccl_bytes = std::size_t{1} << 20;

// Every PCI device of the file that is not a switch. The text is not trusted; `name` is the file's
// name in error messages. Throws Error.
std::vector<DeviceLocation> parse_nccl_topology(std::string_view xml, std::string_view name);

}  // namespace muster::topology
