// What the supervisor answers when its user asks for the step's status.
#pragma once

#include "core/status/status.hpp"
#include "launcher/channel/watch/seen.hpp"

#include <chrono>
#include <optional>
#include <vector>

namespace muster::attempts {

// `step` has what the nodes do not know. `counts`: by node index, as far as nodes have counted.
status::Step status_of(status::Step step, const watch::Seen& seen,
                       const std::vector<std::optional<status::Counts>>& counts,
                       std::chrono::nanoseconds now);

}  // namespace muster::attempts
