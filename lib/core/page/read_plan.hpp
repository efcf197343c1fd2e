// plan.json read back: which rank was on which node, and what it had. The variables are left out.
#pragma once

#include "core/plan/step_plan.hpp"

#include <string_view>

namespace muster::page {

// Throws Error, a clause without the file's name, where the text is no plan of version 1.
plan::StepPlan read_plan(std::string_view text);

}  // namespace muster::page
