// Uses PMIx's fence with data to bring all ranks together, with a time limit of our own.
#pragma once

#include "worker/deadline.hpp"
#include "worker/pmix/api.hpp"

#include <optional>

namespace muster::worker::pmix {

// Waits for every rank of the step and collects the data that they have put. Returns the fence's status; no
// value if it had not ended by the deadline. In that case it continues inside libpmix, and no other fence may
// be started.
std::optional<Status> fence(const PmixApi& api, const Deadline& deadline);

}  // namespace muster::worker::pmix
