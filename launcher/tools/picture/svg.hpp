// `muster plan --svg`: draws a node of the plan and writes the picture.
#pragma once

#include "core/plan/drawing.hpp"
#include "core/plan/step_plan.hpp"

#include <string>

namespace muster::picture {

// The whole picture, as SVG.
std::string picture_of(const plan::Drawing& drawing, const plan::StepPlan& plan,
                       const plan::NodePlan& node);

// Writes to a file, which appears complete or not at all; "-" is standard output. Throws Error.
void write_picture(const std::string& svg, const std::string& file);

}  // namespace muster::picture
