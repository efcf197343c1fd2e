// Puts a deadline on a call into libpmix that has no time limit of its own. (PMIx_Init and PMIx_Abort wait
// for slurmstepd, which may be stopped.) The call runs on a thread that is abandoned when the deadline
// passes. Normally no thread remains.
#pragma once

#include "worker/deadline.hpp"

#include <functional>
#include <optional>

namespace muster::worker::pmix {

// What `call` returned; no value if it did not return by the deadline. In that case it is still running, and
// everything that it uses must stay alive without the caller. `call` must not throw.
std::optional<int> run_bounded(std::function<int()> call, const Deadline& deadline);

}  // namespace muster::worker::pmix
