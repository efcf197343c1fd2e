// Shows a node's plan to the user, through the supervisor, who puts all nodes' plans together:
// explain, dry-run. Before any task starts, so that the plan comes before what the program prints.
#pragma once

#include "launcher/agent/context.hpp"
#include "launcher/agent/planning.hpp"

#include <string>
#include <vector>

namespace muster::agent {

// The warnings that the user has not seen with the plan. Error where dry-run cannot be shown.
std::vector<std::string> present(const StepContext& context, const PlannedNode& node);

}  // namespace muster::agent
