// The successor waits in its own step until the supervisor no longer needs it. If the supervisor's host dies
// first, the successor becomes the supervisor.
#pragma once

namespace muster::successor {

// Reads standard input and writes standard output; see core/restart/handover.hpp. Returns the exit code of
// this process, or does not return: see take_over().
int wait_for_turn();

}  // namespace muster::successor
