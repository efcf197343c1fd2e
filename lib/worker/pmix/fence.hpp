// Uses PMIx's fence with data to bring all ranks together, with a time limit of our own.
#pragma once

#include "worker/deadline.hpp"
#include "worker/pmix/api.hpp"

#include <optional>

namespace muster::worker::pmix {

// Waits for every rank of the step and collects what they have put. Returns the fence's status; nothing if
// it had not ended by the deadline. In that case it continues inside libpmix, and no other fence may begin.
std::optional<Status> fence(const PmixApi& api, const Deadline& deadline);

}  // namespace muster::worker::pmix
