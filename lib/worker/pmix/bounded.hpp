// A call into libpmix that has no time limit of its own (PMIx_Init and PMIx_Abort wait for
// slurmstepd, which may be stopped) gets one: it runs on a thread that is left to itself when the
// deadline passes. In the normal case no thread remains.
#pragma once

#include "worker/deadline.hpp"

#include <functional>
#include <optional>

namespace muster::worker::pmix {

// What `call` returned; nothing when it did not return by the deadline. Everything that `call` uses
// must then live on by itself: it is still running. `call` must not throw.
std::optional<int> run_bounded(std::function<int()> call, const Deadline& deadline);

}  // namespace muster::worker::pmix
