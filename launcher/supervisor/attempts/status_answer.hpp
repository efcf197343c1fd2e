// The supervisor's answer to `muster status`.
#pragma once

#include "core/status/status.hpp"
#include "launcher/channel/watch/observations.hpp"

#include <chrono>
#include <optional>
#include <vector>

namespace muster::attempts {

// `step`: what the supervisor knows by itself. `counts`: indexed by node; no value if a node has not
// answered.
status::Step status_of(status::Step step, const watch::Observations& seen,
                       const std::vector<std::optional<status::Counts>>& counts,
                       std::chrono::nanoseconds now);

}  // namespace muster::attempts
