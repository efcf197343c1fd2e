// The report as people read it: one screen, with the order and wording of torchrun's report. The lines of the
// first failure: first_failure_text.cpp. What followed: aftermath_text.cpp.
#pragma once

#include "core/report/report.hpp"
#include "core/report/screen.hpp"

#include <string>

namespace muster::report {

// Every line ends with a newline. At most max_report_lines of max_report_columns each, plus
// max_attempts_lines if there were several attempts.
std::string to_text(const Report& report, const TextStyle& style);

}  // namespace muster::report
