// The report as JSON, version 1, for programs: docs/reference/json.md lists every field. Fields may
// be added, and are never renamed within a version.
#pragma once

#include "core/report/report.hpp"

#include <string>

namespace muster::report {

// With an end of line after the last line.
std::string to_json(const Report& report);

}  // namespace muster::report
