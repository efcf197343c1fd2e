// One test of the network between two nodes that have met: messages of eight bytes to and fro, and then a
// stream each way, all of it under deadlines and within a number of bytes.
#pragma once

#include "core/preflight/link.hpp"
#include "launcher/tools/preflight/meeting.hpp"

namespace muster::preflight {

// For the end that connected. Throws Error, in one line.
Measure measure(Meeting& meeting, const Bounds& bounds);

// For the other end.
void answer(Meeting& meeting, const Bounds& bounds);

// How much work this CPU does in a microsecond of this process's time, from a loop of a few milliseconds.
double work_of_cpu();

}  // namespace muster::preflight
