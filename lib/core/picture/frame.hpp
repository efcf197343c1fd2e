// The frame around lstopo's drawing: a page with its own background, a title and a legend.
#pragma once

#include "core/plan/step_plan.hpp"

#include <string>
#include <string_view>

namespace muster::picture {

// `drawing` is the SVG that lstopo made of this node of the plan. Throws Error if it is not SVG.
std::string framed(std::string_view drawing, const plan::StepPlan& plan,
                   const plan::NodePlan& node);

// The node with that name, or the node of rank 0 if there is no name. The Error lists the known nodes.
const plan::NodePlan& node_to_draw(const plan::StepPlan& plan, const std::string& name);

}  // namespace muster::picture
