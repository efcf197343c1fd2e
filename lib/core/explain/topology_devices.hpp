// The part of `muster topo` that shows GPUs and NICs.
#pragma once

#include "core/explain/topology_view.hpp"
#include "core/text/columns.hpp"

#include <string>

namespace muster::explain {

// Empty if the node has no GPUs or NICs.
std::string gpu_table(const TopologyView& view, const text::Paint& paint);
std::string nic_table(const TopologyView& view, const text::Paint& paint);

// A row for each GPU and each NIC, a column for each GPU, and the meaning of the terms.
std::string relation_table(const TopologyView& view, const text::Paint& paint);

}  // namespace muster::explain
