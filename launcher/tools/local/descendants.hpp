// The processes that the ranks have left behind. A process that adopts orphans (PR_SET_CHILD_SUBREAPER) finds
// all of them below itself, even those that made a session or process group of their own.
#pragma once

#include <functional>
#include <vector>

#include <sys/types.h>

namespace muster::local {

// From now on a process below this one whose parent ends becomes a child of this one.
void adopt_orphans();

std::vector<pid_t> children();

// Sends SIGKILL to all children of this process except `kept`, and to the orphans that it then adopts, until
// none is left. Gives up after three seconds. Calls `ended` for each child that ended, with its wait status.
void kill_children(pid_t kept, const std::function<void(pid_t child, int wait_status)>& ended);

}  // namespace muster::local
