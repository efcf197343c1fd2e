// The first failure in the fields of torchrun's report, and what the rank left behind.
#pragma once

#include "core/report/report.hpp"
#include "core/report/screen.hpp"

#include <cstddef>

namespace muster::report {

Lines first_failure_lines(const Report& report, const TextStyle& style);

// The end of its traceback or of its standard error, in at most `room` lines.
Lines evidence_lines(const RankEnd& end, std::size_t room);

}  // namespace muster::report
