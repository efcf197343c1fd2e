// The record of the attempt that ran when the supervisor's node died, as far as the successor knows it. Pure.
#pragma once

#include "core/report/record.hpp"
#include "core/restart/handover.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::restart {

// `number`: the attempt's. `job_nodes`: used if the attempt's own nodes are not known. Time 0 is the start of
// this supervisor.
report::Record lost_attempt(const Handover& inherited, std::uint32_t number,
                            const std::vector<std::string>& job_nodes);

}  // namespace muster::restart
