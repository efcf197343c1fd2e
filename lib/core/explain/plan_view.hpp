// A step's plan for programs and for people.
#pragma once

#include "core/plan/step_plan.hpp"
#include "core/text/columns.hpp"

#include <string>

namespace muster::explain {

// The versioned JSON of `muster plan --json`: design.md, "muster plan, offline and live".
std::string to_json(const plan::StepPlan& plan);

// For people: one line per rank, then every variable with its value and origin.
std::string to_table(const plan::StepPlan& plan, const text::TableStyle& style);

}  // namespace muster::explain
