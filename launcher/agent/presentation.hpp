// Shows a node's plan to the user (explain, dry-run), or saves it next to the logs. Both go through the
// supervisor, which combines all nodes' plans. This happens before any task starts, so the plan precedes
// the program's output.
#pragma once

#include <string>
#include <vector>

namespace muster::agent {

struct PlannedNode;
struct StepContext;

// Returns the warnings that the user has not seen with the plan. Throws Error if dry-run cannot show it.
std::vector<std::string> present(const StepContext& context, const PlannedNode& node);

}  // namespace muster::agent
