// The report, or one attempt, as one line.
#pragma once

#include "core/report/report.hpp"

#include <string>

namespace muster::report {

// What happened, including success; without a newline.
std::string summary(const Report& report);

// "no rank made progress for 35 min: rank 3 on node1: ...", if a hang did not end the attempt but lasted
// until its end; otherwise empty.
std::string standstill_text(const Report& report);

// "attempt 0 failed after 12.3 s: rank 3 on node2: exit code 1 (RuntimeError: boom)"; like summary().
std::string attempt_summary(const AttemptSummary& attempt);

// Why the attempt ended, as one clause: the part after the colon above. Empty for success.
std::string failure_text(const Report& report);

}  // namespace muster::report
