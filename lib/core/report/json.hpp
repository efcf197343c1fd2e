// The report as JSON, version 1, for programs: docs/reference/json.md lists every field. Fields may
// be added but are never renamed within a version.
#pragma once

#include "core/report/report.hpp"

#include <string>

namespace muster::report {

// Ends with a newline.
std::string to_json(const Report& report);

}  // namespace muster::report
