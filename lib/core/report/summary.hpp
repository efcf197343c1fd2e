// The report as one line.
#pragma once

#include "core/report/report.hpp"

#include <string>

namespace muster::report {

// What happened, also for success; without an end of line.
std::string summary(const Report& report);

}  // namespace muster::report
