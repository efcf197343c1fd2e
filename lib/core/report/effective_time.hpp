// The share of the time in which the ranks of a run got any further, and what the rest was spent on.
#pragma once

#include "core/cost/account.hpp"
#include "core/cost/attempt.hpp"
#include "core/report/report.hpp"

#include <span>
#include <string>

namespace muster::report {

// The attempt as cost::account() reads it, without the program's progress.
cost::Attempt cost_of(const AttemptSummary& attempt);

// Of these attempts alone.
cost::Account effective_time(std::span<const AttemptSummary> attempts);

// Of all attempts of the job, also those before a requeue or a succession.
cost::Account effective_time(const Report& report);

// "all ranks ran 85.3 % of 40.1 s; start 3.0 s, detection 1.0 s, stop 300 ms, pauses 2.1 s". If the program
// shows its progress: "trained 79.0 % of 40.1 s; lost work 2.0 s, program start 500 ms, start 3.0 s, ...".
std::string effective_text(const cost::Account& time);

}  // namespace muster::report
