// Divided GPUs as this machine's drivers report them now.
#pragma once

#include "core/topology/topology.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace muster::topology {

struct PartitionedTopology {
  Topology topology;
  bool complete = true;  // false: another user may see more, so the result is not cached
  std::vector<std::string> warnings;
};

// Reads below `root`; opens `library`, NVIDIA's, only if there are MIG instances.
PartitionedTopology with_live_partitions(Topology topology, const std::filesystem::path& root,
                                         const std::string& library);

}  // namespace muster::topology
