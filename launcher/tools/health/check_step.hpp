// The short step in which the job's nodes check themselves between two attempts.
#pragma once

#include "core/environment.hpp"
#include "core/restart/node_fitness.hpp"
#include "launcher/tools/health/node_check.hpp"

#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace muster::health {

struct CheckStep {
  std::string srun;
  std::string job;
  std::string program;  // the path of muster, the same on every node
};

// The command of that step. Pure.
std::vector<std::string> check_command(const CheckStep& step, const NodeCheckOrder& order,
                                       std::span<const std::string> nodes,
                                       const Environment& environment);

// How long ask_nodes() may take.
std::chrono::milliseconds max_step_time(const NodeCheckOrder& order);

// A node that does not answer costs only its own answer. `interrupt`: a descriptor that ends the wait once it
// is readable, or -1.
restart::NodeChecks ask_nodes(const CheckStep& step, const NodeCheckOrder& order,
                              std::span<const std::string> nodes, const Environment& environment,
                              int interrupt = -1);

}  // namespace muster::health
