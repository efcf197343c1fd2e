// One test of the network between two nodes that have met: messages of eight bytes to and fro, and then a
// stream each way, all of it under deadlines and within a number of bytes.
#pragma once

#include "core/preflight/link.hpp"
#include "launcher/tools/preflight/meeting.hpp"

namespace muster::preflight {

// At the end that has connected. Throws Error, one line.
Measure measure(Meeting& meeting, const Bounds& bounds);

// At the other one.
void answer(Meeting& meeting, const Bounds& bounds);

// What this CPU does in a microsecond of this process's time: a loop of fixed work, a few milliseconds of it.
double work_of_cpu();

}  // namespace muster::preflight
