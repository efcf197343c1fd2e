// What stands around lstopo's drawing: a page with a background of its own, a title, a legend.
#pragma once

#include "core/plan/step_plan.hpp"

#include <string>
#include <string_view>

namespace muster::picture {

// `drawing` is the SVG that lstopo made of this node of the plan. Throws Error where it is none.
std::string framed(std::string_view drawing, const plan::StepPlan& plan,
                   const plan::NodePlan& node);

// The node of that name, else (for no name) the one of rank 0. Throws Error, which names those
// that there are.
const plan::NodePlan& node_to_draw(const plan::StepPlan& plan, const std::string& name);

}  // namespace muster::picture
