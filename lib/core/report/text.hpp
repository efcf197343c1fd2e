// The report as people read it: one screen, in the order and the words of torchrun's report.
#pragma once

#include "core/report/report.hpp"
#include "core/report/screen.hpp"

#include <string>

namespace muster::report {

// Lines, each with an end of line. At most max_report_lines of max_report_columns, and max_attempts_lines
// more if there were several attempts.
std::string to_text(const Report& report, const TextStyle& style);

}  // namespace muster::report
