// What the report says if it is unclear which rank failed first.
#pragma once

#include "core/report/report.hpp"

#include <string>

namespace muster::report {

// "rank 1 or 3: they exited 4 ms apart without giving a reason".
std::string suspects_text(const Report& report);

// What would reveal it next time. `has_logs`: logs= is in use.
std::string suspects_hint(const Report& report, bool has_logs);

}  // namespace muster::report
