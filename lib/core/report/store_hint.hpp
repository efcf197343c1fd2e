// What a report says if a client of torch's store has waited in vain. Pure.
#pragma once

#include "core/report/report.hpp"

#include <string>

namespace muster::report {

// Empty unless the first failure says that a client of the store could not connect to it. Torch's clients
// wait for the whole timeout until somebody listens.
std::string store_hint(const Report& report);

// "5 of 6 ranks; missing: rank 3 on node2". Empty unless the first failure says that it has waited for
// others, and the nodes know who had not come.
std::string missing_at_store(const Report& report);

}  // namespace muster::report
