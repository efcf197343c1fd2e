// A node between two attempts, looked at on the node itself.
#pragma once

#include "core/restart/node_check.hpp"
#include "launcher/topology/nvml.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace muster::health {

struct NodeCheckOrder {
  std::vector<std::string> steps = {};     // of earlier attempts, "42.0"
  bool gpus = false;                       // the step has GPUs
  std::optional<std::string> health = {};  // the command
  std::chrono::seconds health_timeout{5};
  std::chrono::milliseconds memory_timeout{5000};  // for the GPUs' memory

  friend bool operator==(const NodeCheckOrder&, const NodeCheckOrder&) = default;
};

// How long a node may take for it.
std::chrono::milliseconds max_time(const NodeCheckOrder& order);

// Ends what earlier attempts have left, waits for the GPUs' memory, and runs the command.
restart::NodeCheck check_node(const NodeCheckOrder& order, const std::string& node,
                              const std::string& nvml = topology::nvml_library);

}  // namespace muster::health
