// Tries something that may crash, in a process of its own.
#pragma once

#include <functional>

namespace muster::topology::hwloc {

// True if `attempt` came back in a forked child; false if it crashed, threw, or used more than
// ten seconds of CPU. Throws Error if no process can be started. What it changes in memory stays in
// the child.
bool try_in_child(const std::function<void()>& attempt);

}  // namespace muster::topology::hwloc
