// The lines about all attempts, if there were several.
#pragma once

#include "core/report/report.hpp"
#include "core/report/screen.hpp"

namespace muster::report {

inline constexpr std::size_t max_attempts_lines =
    12;  // in addition to the lines of one attempt's report

// Empty if there was only one attempt. If there are too many, shows only the first and the last ones.
Lines attempts_lines(const Report& report);

}  // namespace muster::report
