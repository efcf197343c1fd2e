// What the ranks have left behind: a process that adopts orphans (PR_SET_CHILD_SUBREAPER) finds all of
// it below itself, whatever session or process group it has made for itself.
#pragma once

#include <functional>
#include <vector>

#include <sys/types.h>

namespace muster::local {

// From now on processes whose parent ends become children of this one.
void adopt_orphans();

std::vector<pid_t> children();

// SIGKILL to all of this process's children but `kept`, and to those that become its children by that, until
// there are none; gives up after some seconds. `ended`: each that has, with its wait status.
void kill_children(pid_t kept, const std::function<void(pid_t child, int wait_status)>& ended);

}  // namespace muster::local
