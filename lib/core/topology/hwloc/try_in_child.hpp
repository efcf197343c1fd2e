// Tries something that may crash, in a separate process.
#pragma once

#include <functional>

namespace muster::topology::hwloc {

// True if `attempt` returned in a forked child; false if it crashed, threw, or used more than ten
// seconds of CPU. Throws Error if no process can be started. Its changes to memory stay in the
// child.
bool try_in_child(const std::function<void()>& attempt);

}  // namespace muster::topology::hwloc
