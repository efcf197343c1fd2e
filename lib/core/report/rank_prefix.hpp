// The "[rank3]:" with which torch begins its log lines and, in newer versions, each line of a traceback.
#pragma once

#include <string_view>

namespace muster::report {

bool has_rank(std::string_view line);

// The line without that prefix and the space after it.
std::string_view without_rank(std::string_view line);

}  // namespace muster::report
