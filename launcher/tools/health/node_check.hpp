// A node's check of itself between two attempts.
#pragma once

#include "core/restart/node_check.hpp"
#include "launcher/topology/nvml.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace muster::health {

struct NodeCheckOrder {
  std::vector<std::string> steps = {};     // the steps of earlier attempts, "42.0"
  bool gpus = false;                       // the step has GPUs
  std::optional<std::string> health = {};  // the command
  std::chrono::seconds health_timeout{5};
  std::chrono::milliseconds memory_timeout{5000};  // for waiting for the GPUs' memory

  friend bool operator==(const NodeCheckOrder&, const NodeCheckOrder&) = default;
};

// How long a node may take for the check.
std::chrono::milliseconds max_time(const NodeCheckOrder& order);

// Kills the processes that earlier attempts have left behind, waits for the GPUs' memory, and runs the
// command.
restart::NodeCheck check_node(const NodeCheckOrder& order, const std::string& node,
                              const std::string& nvml = topology::nvml_library);

}  // namespace muster::health
