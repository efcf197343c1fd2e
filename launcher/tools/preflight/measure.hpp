// One test of the network between two nodes that have met: eight-byte messages back and forth, and then a
// stream in each direction, all with deadlines and a limit on the number of bytes.
#pragma once

#include "core/preflight/link.hpp"
#include "launcher/tools/preflight/meeting.hpp"

namespace muster::preflight {

// Runs on the connecting end. Throws an Error of one line.
Measure measure(Meeting& meeting, const Bounds& bounds);

// Runs on the other end.
void answer(Meeting& meeting, const Bounds& bounds);

// How much work this CPU does per microsecond of this process's CPU time, measured with a loop of a few
// milliseconds.
double work_of_cpu();

}  // namespace muster::preflight
