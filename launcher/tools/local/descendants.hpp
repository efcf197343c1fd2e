// The processes that the ranks have left behind. A process that adopts orphans (PR_SET_CHILD_SUBREAPER) finds
// all of them below itself, even those that created their own session or process group.
#pragma once

#include <functional>
#include <vector>

#include <sys/types.h>

namespace muster::local {

// From now on, descendants whose parent ends become children of this process.
void adopt_orphans();

std::vector<pid_t> children();

// Sends SIGKILL to all children of this process except `kept`, and to the orphans that it then adopts, until
// none is left. Gives up after three seconds. Calls `ended` for each child that ended, with its wait status.
void kill_children(pid_t kept, const std::function<void(pid_t child, int wait_status)>& ended);

}  // namespace muster::local
