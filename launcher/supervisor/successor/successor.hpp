// The successor: waits in a step of its own until the supervisor has no more need of it, or its host has
// died. Then it becomes the supervisor.
#pragma once

namespace muster::successor {

// From standard input and to standard output; see inheritance.hpp. Returns the exit code of this process, or
// does not return: see take_over().
int wait_for_turn();

}  // namespace muster::successor
