// Shows in columns which rank has which part of which node.
#pragma once

#include "core/plan/step_plan.hpp"
#include "core/text/columns.hpp"

#include <string>

namespace muster::explain {

// One line per rank, and one more for each further GPU. Of consecutive nodes that are alike, only
// the first is shown in full, provided that every node's ranks are consecutive.
std::string rank_table(const plan::StepPlan& plan, const text::Paint& paint);

}  // namespace muster::explain
