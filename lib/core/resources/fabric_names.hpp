// The values of the variables that select NICs for communication libraries: {ib_hca}, {ucx_devices} and the
// other placeholders of config/profiles/*.yaml. docs/reference/profiles.md explains each, with sources.
// {interface} comes from launcher/agent/node/network.hpp.
//
// The names of the variables, such as NCCL_IB_HCA, are in those profiles, and again in the code that examines
// what a user has set: core/profile/overriding_variables.cpp, core/lint/meanings.cpp and
// launcher/agent/node/library_settings.cpp.
#pragma once

#include "core/resources/task_resources.hpp"

#include <cstddef>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::resources {

// `node`: the NICs that this node's ranks may use, the same for each of them. `own`: the NICs
// nearest to one task. Both are positions in Topology::nics.
FabricNames fabric_names(const topology::Topology& topology, const std::vector<std::size_t>& node,
                         const std::vector<std::size_t>& own);

}  // namespace muster::resources
