// Shows in columns which rank has which part of which node.
#pragma once

#include "core/plan/step_plan.hpp"
#include "core/text/columns.hpp"

#include <string>

namespace muster::explain {

// One line per rank, and one more for each further GPU. If consecutive nodes are alike and every node's
// ranks are consecutive, only the first node is shown in full.
std::string rank_table(const plan::StepPlan& plan, const text::Paint& paint);

}  // namespace muster::explain
