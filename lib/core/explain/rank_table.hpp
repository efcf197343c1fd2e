// Which rank has which part of which node, in columns.
#pragma once

#include "core/plan/step_plan.hpp"
#include "core/text/columns.hpp"

#include <string>

namespace muster::explain {

// A line per rank, and one more for each further GPU. Of nodes that are alike one after the other
// only the first is told in full, as long as every node's ranks are consecutive.
std::string rank_table(const plan::StepPlan& plan, const text::Paint& paint);

}  // namespace muster::explain
