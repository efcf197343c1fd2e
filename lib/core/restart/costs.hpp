// What the attempts of a job cost together: those of the report, and those before it. Pure.
#pragma once

#include "core/cost/account.hpp"
#include "core/restart/attempt_history.hpp"

#include <span>

namespace muster::restart {

// `past`: every attempt so far; the last ones are those of `report`. Sets what each of them lost to a later
// one, and what the earlier attempts cost, with the time until the first one of the report.
void add_costs(report::Report& report, std::span<const AttemptHistory> past);

}  // namespace muster::restart
