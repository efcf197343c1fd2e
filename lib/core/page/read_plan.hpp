// Reads plan.json back: which rank was on which node, and its resources. Ignores variables.
#pragma once

#include "core/plan/step_plan.hpp"

#include <string_view>

namespace muster::page {

// Throws Error if the text is not a plan of version 1; the message is a clause that does not name the file.
plan::StepPlan read_plan(std::string_view text);

}  // namespace muster::page
