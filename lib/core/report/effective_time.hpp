// The share of the time in which the ranks of a run got any further, and what the rest was spent on.
#pragma once

#include "core/cost/account.hpp"
#include "core/cost/attempt.hpp"
#include "core/report/report.hpp"

#include <span>

namespace muster::report {

// The attempt as cost::account() reads it, without the program's progress.
cost::Attempt cost_of(const AttemptSummary& attempt);

// Of these attempts alone.
cost::Account effective_time(std::span<const AttemptSummary> attempts);

// Of all attempts of the job, also those before a requeue or a succession.
cost::Account effective_time(const Report& report);

}  // namespace muster::report
