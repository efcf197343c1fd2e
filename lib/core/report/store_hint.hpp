// What to do if nobody served torch's store. Pure.
#pragma once

#include "core/report/report.hpp"

#include <string>

namespace muster::report {

// Empty unless the first failure says that a client of the store could not connect to it. Torch's clients
// wait for the whole timeout until somebody listens.
std::string store_hint(const Report& report);

}  // namespace muster::report
