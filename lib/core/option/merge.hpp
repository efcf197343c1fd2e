// Which layer wins, and what the site's policy makes of it.
#pragma once

#include "core/option/policy.hpp"
#include "core/option/settings.hpp"

#include <span>

namespace muster::option {

// `highest_first`: option, MUSTER_DISTRIBUTED, MUSTER_<KEY>, the user's file, the site's file;
// the defaults come last by themselves. A fixed value replaces what the site or nobody said;
// Error where the user asked for something else, or for anything forbidden, naming the
// policy's file and line.
Settings merge(std::span<const Layer> highest_first, const Policy& policy);

}  // namespace muster::option
