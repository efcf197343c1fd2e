// The attempt that ran when the supervisor's node died, as its successor knows it. Pure.
#pragma once

#include "core/report/record.hpp"
#include "launcher/supervisor/successor/inheritance.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::attempts {

// `number`: of the attempt. `job_nodes`: where the attempt's own are not known. Time 0 is this supervisor's
// start.
report::Record lost_attempt(const successor::Inheritance& inherited, std::uint32_t number,
                            const std::vector<std::string>& job_nodes);

}  // namespace muster::attempts
