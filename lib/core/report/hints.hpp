// What a report suggests, where the ranks' own words do not say what to change. Pure.
#pragma once

#include "core/report/record.hpp"
#include "core/report/report.hpp"

#include <optional>
#include <string>

namespace muster::report {

// Empty unless the first failure says that a client of the store could not connect to it. Torch's clients
// wait for the whole timeout until somebody listens.
std::string store_hint(const Report& report);

// "5 of 6 ranks; missing: rank 3 on node2". Empty unless the first failure says that it has waited for
// others, and the nodes know who had not come.
std::string missing_at_store(const Report& report);

// SIGUSR1 or SIGUSR2 if it ended the rank; no value otherwise. Whoever sends one of them, such as Slurm
// (--signal), expects the program to handle it.
std::optional<int> unhandled_signal(const RankEnd& end);

// Empty unless such a signal ended the rank that failed first or, if none failed first, any rank.
std::string unhandled_signal_hint(const Report& report);

}  // namespace muster::report
