// A step's status for a terminal of 80 columns.
#pragma once

#include "core/status/status.hpp"
#include "core/text/columns.hpp"

#include <string>

namespace muster::status {

std::string to_text(const Step& step, const text::TableStyle& style);

// While ranks start: "nodes ready 3/4, ranks up 12/16, attempt 1, 4 s".
std::string start_text(const Step& step);

}  // namespace muster::status
