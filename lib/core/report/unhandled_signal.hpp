// SIGUSR1 and SIGUSR2 end a program that does not handle them. Users and Slurm (--signal) send them to programs
// of which they expect that, so a report says which expectation was wrong. Pure.
#pragma once

#include "core/report/record.hpp"
#include "core/report/report.hpp"

#include <optional>
#include <string>

namespace muster::report {

// The one of these signals that ended the rank; no value if none did.
std::optional<int> unhandled_signal(const RankEnd& end);

// Empty unless such a signal ended the rank that failed first or, if none failed first, any rank.
std::string unhandled_signal_hint(const Report& report);

}  // namespace muster::report
