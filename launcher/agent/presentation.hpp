// Shows a node's plan to the user (explain, dry-run), or keeps it beside the logs: through the
// supervisor, which puts all nodes' plans together. This happens before any task starts, so the plan
// precedes the program's output.
#pragma once

#include <string>
#include <vector>

namespace muster::agent {

struct PlannedNode;
struct StepContext;

// The warnings that the user has not seen with the plan. Throws Error if dry-run cannot be shown.
std::vector<std::string> present(const StepContext& context, const PlannedNode& node);

}  // namespace muster::agent
